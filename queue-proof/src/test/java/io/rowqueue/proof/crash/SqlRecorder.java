package io.rowqueue.proof.crash;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Writes down every statement that goes over a data source's connections. For one thread. */
final class SqlRecorder {

  private final DataSource recorded;
  private final List<String> statements = new ArrayList<>();

  SqlRecorder(DataSource real) {
    this.recorded =
        proxy(
            DataSource.class,
            (self, method, arguments) -> {
              Object result = call(real, method, arguments);
              return result instanceof Connection connection ? record(connection) : result;
            });
  }

  DataSource dataSource() {
    return recorded;
  }

  /** Everything since the last call. */
  List<String> take() {
    List<String> taken = List.copyOf(statements);
    statements.clear();
    return taken;
  }

  private Connection record(Connection real) {
    return proxy(
        Connection.class,
        (self, method, arguments) -> {
          switch (method.getName()) {
            case "prepareStatement" -> statements.add((String) arguments[0]);
            case "commit" -> statements.add("COMMIT");
            case "rollback" -> statements.add("ROLLBACK");
            default -> {}
          }
          Object result = call(real, method, arguments);
          return result instanceof Statement statement && method.getName().equals("createStatement")
              ? record(statement)
              : result;
        });
  }

  private Statement record(Statement real) {
    return proxy(
        Statement.class,
        (self, method, arguments) -> {
          if (method.getName().startsWith("execute")) {
            statements.add((String) arguments[0]);
          }
          return call(real, method, arguments);
        });
  }

  private static Object call(Object real, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(real, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(
        Proxy.newProxyInstance(SqlRecorder.class.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
