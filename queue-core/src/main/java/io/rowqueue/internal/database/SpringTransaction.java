package io.rowqueue.internal.database;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes a connection of Spring's transaction before its first statement, when the server does
 * not know of the transaction yet. RowQueue does not depend on Spring.
 */
final class SpringTransaction {

  private static final String PROXY = "org.springframework.jdbc.datasource.ConnectionProxy";

  private static final String MANAGER =
      "org.springframework.transaction.support.TransactionSynchronizationManager";

  private static final String LAZY = "LazyConnection";

  private static final String UNKNOWN = "Spring's transaction manager cannot be queried";

  private SpringTransaction() {}

  /**
   * Whether {@code connection} is from Spring's TransactionAwareDataSourceProxy, and this thread is
   * in a transaction of Spring. Spring's LazyConnectionDataSourceProxy wraps connections in the
   * same interface, which may be anybody's.
   */
  static boolean isOf(Connection connection) {
    for (Class<?> type : connection.getClass().getInterfaces()) {
      if (type.getName().equals(PROXY)) {
        return isAware(connection)
            ? isActive(type.getClassLoader())
            : isOf((Connection) call(type, "getTargetConnection", connection));
      }
    }
    return false;
  }

  private static boolean isAware(Connection connection) {
    return !Proxy.isProxyClass(connection.getClass())
        || !Proxy.getInvocationHandler(connection).getClass().getName().contains(LAZY);
  }

  private static boolean isActive(ClassLoader spring) {
    try {
      Class<?> manager = Class.forName(MANAGER, true, spring);
      return (boolean) call(manager, "isActualTransactionActive", null);
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(UNKNOWN, e);
    }
  }

  private static Object call(Class<?> type, String method, @Nullable Object target) {
    try {
      return type.getMethod(method).invoke(target);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(UNKNOWN, e);
    }
  }
}
