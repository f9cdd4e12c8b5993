package io.rowqueue.handle;

import io.rowqueue.database.Transaction;
import io.rowqueue.database.TransientFailures;
import io.rowqueue.database.WorkFailure;
import io.rowqueue.wakeup.PendingRing;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/*
 * The handler's side of the message's transaction.
 *
 * Three nets keep a handler from splitting its effect from the message's deletion.
 *
 * Refusal. Whatever would end the transaction through JDBC (commit, rollback, setAutoCommit(true),
 * close, abort) is refused, on the connection and on everything reached from it.
 *
 * Doom. Every SQLException that passes through is seen. After a deadlock or a lock wait timeout the
 * server has undone something; whatever the handler does with the exception, the transaction does not
 * commit.
 *
 * Savepoint. One of random name is set before the handler's first statement. If it is gone at the
 * end, the transaction was ended by SQL text, by DDL, or by a rollback that nobody told us of. It is
 * set only when the handler touches the connection: who sends no statement can have ended nothing,
 * and pays nothing.
 */
/** Guards one connection while a handler uses it. Confined to the handler's thread. */
final class HandlerTransaction {

  private static final int NO_SUCH_SAVEPOINT = 1305;

  private static final Set<String> REFUSED =
      Set.of(
          "commit",
          "close",
          "abort",
          "unwrap",
          "setTransactionIsolation",
          "setReadOnly",
          "setCatalog",
          "setSchema",
          "setNetworkTimeout",
          "beginRequest",
          "endRequest");

  private static final Set<String> WITHOUT_EFFECT =
      Set.of(
          "getAutoCommit",
          "isClosed",
          "isReadOnly",
          "getTransactionIsolation",
          "getHoldability",
          "getWarnings",
          "clearWarnings",
          "isWrapperFor",
          "getCatalog",
          "getSchema",
          "getNetworkTimeout");

  private final Connection raw;
  private final @Nullable PendingRing pendingRing;
  private final Connection guarded;
  private final Thread owner = Thread.currentThread();
  private @Nullable String savepoint;
  private @Nullable SQLException doom;
  private boolean over;

  HandlerTransaction(Transaction transaction) {
    this.raw = transaction.connection();
    this.pendingRing = PendingRing.of(transaction.dsl().configuration());
    this.guarded = guard(GuardedConnection.class, this::onConnection);
  }

  /** What the handler may have. */
  Connection connection() {
    return guarded;
  }

  /** What is rung for after the COMMIT. */
  @Nullable PendingRing pendingRing() {
    return pendingRing;
  }

  /**
   * Runs {@code handler}, after which its connection refuses everything.
   *
   * @throws SQLException the error after which this transaction must not commit, even if the
   *     handler swallowed it and went on
   */
  void run(Handling handling, Runnable handler) throws SQLException {
    try {
      handler.run();
    } catch (WorkFailure e) {
      if (doom != null && !handling.timedOut()) {
        throw doom;
      }
      throw e;
    } finally {
      over = true;
    }
    if (doom != null) {
      throw doom;
    }
  }

  /**
   * Takes back what the handler has written, and leaves the transaction as it was before it.
   *
   * @throws LeftTransactionException if the handler ended the transaction
   */
  void undo() throws SQLException {
    toSavepoint("ROLLBACK TO SAVEPOINT ");
  }

  /**
   * Checks that the transaction is still the one that the handler was given.
   *
   * @throws LeftTransactionException if the handler ended it
   */
  void verify() throws SQLException {
    toSavepoint("RELEASE SAVEPOINT ");
  }

  private void toSavepoint(String verb) throws SQLException {
    String name = savepoint;
    if (name == null) {
      return;
    }
    try (Statement statement = raw.createStatement()) {
      statement.execute(verb + name);
    } catch (SQLException e) {
      if (e.getErrorCode() == NO_SUCH_SAVEPOINT) {
        throw new LeftTransactionException();
      }
      throw e;
    }
  }

  private @Nullable Object onConnection(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    String name = method.getName();
    if (method.getDeclaringClass() == PendingRing.Carrier.class) {
      return pendingRing;
    }
    checkUse(name);
    if (REFUSED.contains(name)) {
      throw refusal(name);
    }
    if (name.equals("rollback") && (arguments == null || arguments.length == 0)) {
      throw refusal(name);
    }
    if (name.equals("setAutoCommit")) {
      return keepAutoCommitOff(arguments);
    }
    if (!WITHOUT_EFFECT.contains(name)) {
      setSavepoint();
    }
    return invoke(raw, method, arguments);
  }

  private void checkUse(String name) throws SQLException {
    if (name.equals("isClosed")) {
      return;
    }
    if (over) {
      throw new SQLException(
          "the handler has returned, and its transaction with it; " + name + "() came too late");
    }
    if (Thread.currentThread() != owner) {
      throw new SQLException(
          name
              + "() was called on the message's connection by another thread than its handler's;"
              + " only the handler's own thread may use it");
    }
  }

  private static SQLException refusal(String name) {
    return new SQLException(
        name
            + "() is refused inside a handler: RowQueue commits when the handler returns and rolls"
            + " back when it throws");
  }

  /** Frameworks switch off what is off already, and may. */
  private static @Nullable Object keepAutoCommitOff(Object @Nullable [] arguments)
      throws SQLException {
    if (arguments != null && Boolean.TRUE.equals(arguments[0])) {
      throw refusal("setAutoCommit");
    }
    return null;
  }

  private void setSavepoint() throws SQLException {
    if (savepoint != null) {
      return;
    }
    // Random, so that no SQL text of the handler can set it again after a commit.
    String name = "rowqueue_" + Long.toHexString(ThreadLocalRandom.current().nextLong());
    try (Statement statement = raw.createStatement()) {
      statement.execute("SAVEPOINT " + name);
    } catch (SQLException e) {
      throw seen(e);
    }
    savepoint = name;
  }

  private @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return wrap(method.invoke(target, arguments));
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      throw cause instanceof SQLException error ? seen(error) : cause == null ? e : cause;
    }
  }

  private SQLException seen(SQLException error) {
    if (doom == null && TransientFailures.dooms(error)) {
      doom = error;
    }
    return error;
  }

  /** Statements and results lead back to the connection, and bring errors of their own. */
  private @Nullable Object wrap(@Nullable Object result) {
    if (result instanceof CallableStatement statement) {
      return guard(CallableStatement.class, onPart(statement));
    }
    if (result instanceof PreparedStatement statement) {
      return guard(PreparedStatement.class, onPart(statement));
    }
    if (result instanceof Statement statement) {
      return guard(Statement.class, onPart(statement));
    }
    if (result instanceof ResultSet rows) {
      return guard(ResultSet.class, onPart(rows));
    }
    if (result instanceof DatabaseMetaData metaData) {
      return guard(DatabaseMetaData.class, onPart(metaData));
    }
    return result;
  }

  private InvocationHandler onPart(Object part) {
    return (proxy, method, arguments) -> {
      String name = method.getName();
      if (!name.equals("close") && !name.equals("isClosed")) {
        checkUse(name);
      }
      if (name.equals("getConnection")) {
        return guarded;
      }
      if (name.equals("unwrap")) {
        throw refusal(name);
      }
      return invoke(part, method, arguments);
    };
  }

  private static <T> T guard(Class<T> type, InvocationHandler handler) {
    InvocationHandler withObjectMethods =
        (proxy, method, arguments) ->
            method.getDeclaringClass() == Object.class
                ? objectMethod(type, proxy, method, arguments)
                : handler.invoke(proxy, method, arguments);
    return type.cast(
        Proxy.newProxyInstance(
            HandlerTransaction.class.getClassLoader(), new Class<?>[] {type}, withObjectMethods));
  }

  /** A connection that tells producers what is rung for after its COMMIT. */
  private interface GuardedConnection extends Connection, PendingRing.Carrier {}

  private static Object objectMethod(
      Class<?> type, Object proxy, Method method, Object @Nullable [] arguments) {
    return switch (method.getName()) {
      case "equals" -> arguments != null && proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> "a handler's " + type.getSimpleName();
    };
  }
}
