package io.rowqueue.internal.database;

import java.sql.Connection;
import java.util.Arrays;

/**
 * Recognizes a connection of Spring's transaction before its first statement, when the server does
 * not know of the transaction yet. RowQueue does not depend on Spring.
 */
final class SpringTransaction {

  private static final String PROXY = "org.springframework.jdbc.datasource.ConnectionProxy";

  private static final String MANAGER =
      "org.springframework.transaction.support.TransactionSynchronizationManager";

  private SpringTransaction() {}

  /**
   * Whether {@code connection} is from Spring's TransactionAwareDataSourceProxy, and this thread is
   * in a transaction of Spring.
   */
  static boolean isOf(Connection connection) {
    return Arrays.stream(connection.getClass().getInterfaces())
        .filter(type -> type.getName().equals(PROXY))
        .anyMatch(type -> isActive(type.getClassLoader()));
  }

  private static boolean isActive(ClassLoader spring) {
    try {
      return (boolean)
          Class.forName(MANAGER, true, spring).getMethod("isActualTransactionActive").invoke(null);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Spring's transaction manager cannot be queried", e);
    }
  }
}
