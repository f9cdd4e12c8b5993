package io.rowqueue.internal.enqueue;

import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.testkit.QueueDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Connections as proxies and drivers make them that do more than they should. */
public final class OddConnections {

  private OddConnections() {}

  /** What becomes of a method of a connection. */
  public interface Call {
    @Nullable Object to(Method method, Object[] arguments)
        throws ReflectiveOperationException, SQLException;
  }

  /** One whose methods do what {@code call} does. */
  public static Connection of(Call call) {
    return proxy(Connection.class, call);
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                return call.to(method, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  /** Its connections prepare what {@code change} makes of a statement. */
  public static DataSource rewriting(QueueDatabase database, UnaryOperator<String> change) {
    return new FreshConnections(
        () -> {
          Connection connection = database.connect();
          return of(
              (method, arguments) -> {
                if (method.getName().equals("prepareStatement")) {
                  arguments[0] = change.apply((String) arguments[0]);
                }
                return method.invoke(connection, arguments);
              });
        });
  }

  /** Its connections announce {@code version}. */
  public static DataSource greeting(QueueDatabase database, String version) {
    return new FreshConnections(
        () -> {
          Connection connection = database.connect();
          DatabaseMetaData data =
              proxy(
                  DatabaseMetaData.class,
                  (method, arguments) ->
                      method.getName().equals("getDatabaseProductVersion")
                          ? version
                          : method.invoke(connection.getMetaData(), arguments));
          return of(
              (method, arguments) ->
                  method.getName().equals("getMetaData")
                      ? data
                      : method.invoke(connection, arguments));
        });
  }

  /** {@code connection}, which is lost behind its COMMIT, once that has been answered. */
  public static Connection brokenByItsCommit(Connection connection) {
    return of(
        (method, arguments) -> {
          Object result = method.invoke(connection, arguments);
          if (method.getName().equals("commit")) {
            connection.abort(Runnable::run);
          }
          return result;
        });
  }
}
