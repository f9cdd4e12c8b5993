package io.rowqueue.tests.statement;

import io.rowqueue.tests.statement.Tap.Sent;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A data source whose connections tell each statement before they send it. Thread-safe. */
public final class TappedConnections {

  private final Tap tap;
  private final AtomicInteger opened = new AtomicInteger();

  private TappedConnections(Tap tap) {
    this.tap = tap;
  }

  /** Connections of {@code real} that tell {@code tap}. */
  public static DataSource over(DataSource real, Tap tap) {
    TappedConnections connections = new TappedConnections(tap);
    return proxy(
        DataSource.class,
        (self, method, arguments) -> {
          if (method.getName().equals("getConnection")) {
            tap.opening();
          }
          Object result = connections.call(real, method, arguments);
          return result instanceof Connection connection ? connections.tapped(connection) : result;
        });
  }

  private Connection tapped(Connection real) {
    int number = opened.incrementAndGet();
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          String sent = sentBy(method, arguments);
          if (sent != null) {
            tap.before(new Sent(number, sent), real);
          }
          Object result = call(real, method, arguments);
          if (result instanceof PreparedStatement prepared && arguments != null) {
            return tapped(new Sent(number, (String) arguments[0]), real, prepared);
          }
          return result instanceof Statement plain ? tapped(number, real, plain) : result;
        });
  }

  /** What a method of a connection sends by itself; null if it sends nothing of interest. */
  private static @Nullable String sentBy(Method method, Object @Nullable [] arguments) {
    return switch (method.getName()) {
      case "commit" -> Sent.COMMIT;
      case "rollback" -> arguments == null ? Sent.ROLLBACK : Sent.ROLLBACK + " TO SAVEPOINT";
      case "setSavepoint" -> Sent.SAVEPOINT;
      case "releaseSavepoint" -> Sent.RELEASE;
      default -> null;
    };
  }

  private static boolean sends(Method method) {
    return method.getName().startsWith("execute");
  }

  private Statement tapped(int number, Connection real, Statement plain) {
    return proxy(
        Statement.class,
        (self, method, arguments) -> {
          if (sends(method) && arguments != null) {
            tap.before(new Sent(number, (String) arguments[0]), real);
          }
          return call(plain, method, arguments);
        });
  }

  private PreparedStatement tapped(Sent sent, Connection real, PreparedStatement prepared) {
    return proxy(
        PreparedStatement.class,
        (self, method, arguments) -> {
          if (sends(method)) {
            tap.before(sent, real);
          }
          return call(prepared, method, arguments);
        });
  }

  private @Nullable Object call(Object real, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      if (e.getTargetException() instanceof SQLException failure) {
        tap.failed(failure);
      }
      throw e.getTargetException();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(
            TappedConnections.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
