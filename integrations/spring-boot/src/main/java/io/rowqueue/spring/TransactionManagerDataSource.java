package io.rowqueue.spring;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.InvalidIsolationLevelException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Begins a transaction of Spring with each connection, and ends it by the connection's {@code
 * commit} or {@code rollback}. So what JPA, JdbcTemplate, jOOQ and MyBatis write on the thread
 * between them is in the transaction in which the worker deletes the message. Thread-safe; a
 * connection is confined to its thread, except for {@code abort}, and for {@code close} after it.
 */
final class TransactionManagerDataSource extends AbstractDataSource {

  private static final Logger LOG = LoggerFactory.getLogger(TransactionManagerDataSource.class);

  /** Longer than any handler's timeout: JDBC counts the milliseconds in an int. */
  private static final int LONGEST_SECONDS = Integer.MAX_VALUE / 1_000;

  private final PlatformTransactionManager manager;
  private final DataSource dataSource;

  /**
   * The default if Hibernate releases its connection after each transaction, and then accepts no
   * other; the worker sets READ COMMITTED for the session before the first statement anyway.
   */
  private volatile int isolation = TransactionDefinition.ISOLATION_READ_COMMITTED;

  TransactionManagerDataSource(PlatformTransactionManager manager, DataSource dataSource) {
    this.manager = manager;
    this.dataSource = dataSource;
  }

  /**
   * Begins a transaction and rolls it back.
   *
   * @throws IllegalStateException if the transaction manager is one of another data source
   */
  void check() {
    begin().rollback();
  }

  @Override
  public Connection getConnection() {
    Transaction transaction = begin();
    return (Connection)
        Proxy.newProxyInstance(
            TransactionManagerDataSource.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> transaction.invoke(proxy, method, arguments));
  }

  private Transaction begin() {
    DefaultTransactionDefinition definition =
        new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    definition.setIsolationLevel(isolation);
    definition.setName("rowqueue-handler");
    if (hasDefaultTimeout()) {
      definition.setTimeout(LONGEST_SECONDS);
    }
    TransactionStatus status;
    try {
      status = manager.getTransaction(definition);
    } catch (InvalidIsolationLevelException e) {
      isolation = TransactionDefinition.ISOLATION_DEFAULT;
      definition.setIsolationLevel(isolation);
      status = manager.getTransaction(definition);
    }
    try {
      if (!TransactionSynchronizationManager.hasResource(dataSource)) {
        throw new IllegalStateException(
            "the transaction manager "
                + manager
                + " does not manage the connections of RowQueue's data source; set"
                + " rowqueue.transaction-manager and rowqueue.data-source to beans that belong"
                + " together");
      }
      return new Transaction(status, DataSourceUtils.getConnection(dataSource));
    } catch (RuntimeException | Error e) {
      manager.rollback(status);
      throw e;
    }
  }

  /** The application's, which would end handlers before their own timeout. */
  private boolean hasDefaultTimeout() {
    return manager instanceof AbstractPlatformTransactionManager known
        && known.getDefaultTimeout() != TransactionDefinition.TIMEOUT_DEFAULT;
  }

  @Override
  public Connection getConnection(String username, String password) {
    throw new UnsupportedOperationException("the account is the data source's");
  }

  /** One transaction, and the connection that Spring has bound to the thread for it. */
  private final class Transaction {

    private final TransactionStatus status;
    private final Connection connection;
    private final Thread owner = Thread.currentThread();

    Transaction(TransactionStatus status, Connection connection) {
      this.status = status;
      this.connection = connection;
    }

    @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
        throws Throwable {
      switch (method.getName()) {
        case "commit" -> commit();
        case "close" -> close();
        case "isClosed" -> {
          return status.isCompleted();
        }
        case "equals" -> {
          return arguments != null && proxy == arguments[0];
        }
        case "hashCode" -> {
          return System.identityHashCode(proxy);
        }
        default -> {
          if (method.getName().equals("rollback") && arguments == null) {
            rollback();
            return null;
          }
          return delegate(method, arguments);
        }
      }
      return null;
    }

    private @Nullable Object delegate(Method method, Object @Nullable [] arguments)
        throws Throwable {
      try {
        return method.invoke(connection, arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    }

    private void commit() {
      // Spring would roll back, and return normally.
      if (status.isRollbackOnly()) {
        rollback();
        throw new UnexpectedRollbackException(
            "the handler's transaction was rolled back because it was marked as rollback-only");
      }
      AfterCommit observed = AfterCommit.ofCurrentTransaction();
      release();
      try {
        manager.commit(status);
      } catch (RuntimeException | Error e) {
        if (observed == null || !observed.hasCommitted()) {
          throw e;
        }
        LOG.warn("a callback after the commit of a handler's transaction failed", e);
      }
    }

    /** Spring has bound the transaction to its thread, and only that can end it. */
    private void close() throws SQLException {
      if (Thread.currentThread() == owner) {
        rollback();
      } else {
        connection.abort(Runnable::run);
        connection.close();
      }
    }

    private void rollback() {
      if (!status.isCompleted()) {
        release();
        manager.rollback(status);
      }
    }

    private void release() {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
  }
}
