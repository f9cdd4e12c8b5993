package io.rowqueue.internal.handle;

import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.RetryAfter;
import io.rowqueue.handler.TransactionEndedException;
import io.rowqueue.internal.database.JooqSettings;
import io.rowqueue.internal.database.RollbackRequiredException;
import io.rowqueue.internal.database.ServerAnswer;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.database.WorkFailure;
import io.rowqueue.internal.wakeup.AfterCommit;
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
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jooq.Configuration;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/*
 * The handler's side of the message's transaction.
 *
 * Three safeguards keep the handler's effect and the message's deletion in one transaction.
 *
 * Refusal. JDBC calls that would end the transaction (commit, rollback, setAutoCommit(true), close,
 * abort) are refused, on the connection and on every object reached from it.
 *
 * Fatal errors. Every SQLException is inspected. After a deadlock or a lock wait timeout the
 * server has undone something, so the transaction does not commit, even if the handler catches the
 * exception.
 *
 * Savepoints ("marks"). A savepoint with a random name is set before the handler's first statement (in
 * a shared commit, before the first handler's), and another one around each statement that may end the
 * transaction by its text: COMMIT, DDL, a stored procedure. If one is gone, the transaction was ended,
 * and what the handler wrote may be committed without its message's deletion. A handler that sends no
 * statement cannot have ended anything, and pays nothing. Where a framework manages the transaction,
 * statements bypass this class, so the first savepoint is set before the handler, and fatal errors are
 * found in what the handler throws.
 *
 * After a lost savepoint no more statements are sent, and the connection is cut, because its session
 * may have any state. After a fatal error, statements that may end the transaction are refused, because
 * they would run in a new one; other statements are allowed, for example to release a lock.
 */
/** Guards one connection while a handler uses it. Confined to the handler's thread. */
final class HandlerTransaction {

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

  /** A rollback that is not refused before rolls back to a savepoint. */
  private static final Set<String> SAVEPOINTS =
      Set.of("setSavepoint", "releaseSavepoint", "rollback");

  /** Methods that send statements without being called an execution. */
  private static final Set<String> ROW_CHANGES =
      Set.of("updateRow", "insertRow", "deleteRow", "refreshRow");

  /** The text of a statement that was reached from its own result. */
  private static final String UNKNOWN = "";

  private final Connection raw;
  private final Handling handling;
  private final AfterCommit afterCommit;
  private final ServerDialect dialect;
  private final boolean managed;
  private final Connection guarded;
  private final Thread owner = Thread.currentThread();
  private final RollbackCause rollbackCause = new RollbackCause();
  private final StatementMonitor watch;
  private final SharedTransaction group;
  private @Nullable SavepointMark begin;
  private boolean begun;
  private boolean over;

  /** Statements that the handler has created and not closed; another thread may close them. */
  private final Set<Statement> open = ConcurrentHashMap.newKeySet();

  /** For a handling that has a transaction of its own. */
  HandlerTransaction(Transaction transaction, Handling handling) {
    this(transaction, handling, SharedTransaction.NONE);
  }

  /** For a handling that shares its transaction with {@code group}. */
  HandlerTransaction(Transaction transaction, Handling handling, SharedTransaction group) {
    this.raw = transaction.connection();
    this.handling = handling;
    this.group = group;
    this.watch = new StatementMonitor(transaction, handling, rollbackCause, group);
    this.afterCommit = transaction.afterCommit();
    this.dialect = transaction.dialect();
    this.managed = transaction.isManaged();
    this.guarded = guard(GuardedConnection.class, this::onConnection);
  }

  /** The connection that the handler may use. */
  Connection connection() {
    return guarded;
  }

  /** JOOQ on that connection; a nested transaction is a savepoint. */
  DSLContext dsl() {
    Configuration configuration =
        JooqSettings.dsl(guarded, dialect)
            .configuration()
            .derive(new SavepointTransactions(guarded));
    afterCommit.attach(configuration);
    return DSL.using(configuration);
  }

  /**
   * Runs {@code handler}; its connection refuses every call afterwards.
   *
   * @throws TransactionEndedException if the handler ended the transaction, whatever it did
   *     afterwards
   * @throws RollbackRequiredException for the error after which this transaction must not commit,
   *     even if the handler caught it and continued
   * @throws SQLException if RowQueue's own statements fail
   */
  void run(Runnable handler) throws SQLException, RollbackRequiredException {
    if (managed) {
      begin();
    }
    WorkFailure failure = null;
    try {
      handler.run();
    } catch (WorkFailure e) {
      failure = e;
    } finally {
      over = true;
      handling.pause();
      closeStatements();
    }
    if (watch.hasLeft()) {
      throw left(failure);
    }
    SQLException fatal = rollbackCause.error();
    if (managed && fatal == null && failure != null) {
      fatal = thrown(failure.thrown());
    }
    if (failure != null && (fatal == null || handling.timedOut())) {
      throw failure;
    }
    if (fatal != null) {
      throw new RollbackRequiredException(fatal);
    }
    watch.restoreSession();
  }

  /**
   * The error of a statement that bypassed this class, as far as {@code failure} of the handler
   * shows it. An error that ends its transaction is one of another connection if this transaction
   * is still there; one that leaves it open may be.
   */
  private @Nullable SQLException thrown(Throwable failure) {
    SQLException error = ServerAnswer.in(failure);
    if (error == null
        || error instanceof SQLTransientConnectionException // a pool that has no other connection
        || !TransientFailures.requiresRollback(error)) {
      return null;
    }
    boolean decidedByHandler = failure instanceof PermanentFailure || failure instanceof RetryAfter;
    boolean leavesItOpen =
        TransientFailures.keepsTransaction(error) || TransientFailures.isUnavailable(error);
    return isGone() || (leavesItOpen && !decidedByHandler) ? error : null;
  }

  private boolean isGone() {
    try {
      return begin != null && !begin.rollBackTo();
    } catch (SQLException e) {
      return true;
    }
  }

  /** The handler can no longer use them, and an open result would block the next statement. */
  private void closeStatements() {
    for (Statement statement : open) {
      try {
        statement.close();
      } catch (SQLException e) {
        rollbackCause.record(e);
      }
    }
    open.clear();
  }

  /**
   * The connection is closed, so that the pool does not reuse it with auto-commit on or with locks.
   */
  private TransactionEndedException left(@Nullable WorkFailure failure) {
    TransactionEndedException left = new TransactionEndedException();
    if (failure != null) {
      left.addSuppressed(failure.thrown());
    }
    try {
      raw.abort(Runnable::run);
    } catch (SQLException e) {
      left.addSuppressed(e);
    }
    return left;
  }

  /**
   * Undoes the handler's writes, and restores the transaction to its state before the handler, if
   * that is possible without undoing other messages.
   *
   * @return whether it was possible
   * @throws TransactionEndedException if the handler ended the transaction
   */
  boolean undo() throws SQLException {
    checkStillThere(begin == null || begin.rollBackTo());
    watch.restoreSession();
    return begin != null || !begun;
  }

  /** Whether the handler has sent any statement. */
  boolean hasBegun() {
    return begun;
  }

  /**
   * Checks that the transaction is still the one that the handler was given.
   *
   * @throws TransactionEndedException if it was ended
   */
  void verify() throws SQLException {
    checkStillThere(begin == null || begin.release());
  }

  private void checkStillThere(boolean there) {
    if (!there) {
      throw left(null);
    }
  }

  private @Nullable Object onConnection(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    String name = method.getName();
    if (method.getDeclaringClass() == AfterCommit.Carrier.class) {
      return afterCommit;
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
      watch.checkNotLeft();
      begin();
    }
    if (SAVEPOINTS.contains(name)) {
      handling.sendMoreThanRows();
      group.beforeMoreThanRows(watch);
    }
    return wrap(invoke(raw, method, arguments), Texts.text(arguments));
  }

  private void checkUse(String name) throws SQLException {
    if (name.equals("isClosed")) {
      return;
    }
    if (over) {
      throw new SQLException(
          "the handler has returned, so its transaction is closed; "
              + name
              + "() was called too late");
    }
    if (Thread.currentThread() != owner) {
      throw new SQLException(
          name
              + "() was called on the message's connection by a thread other than its handler's;"
              + " only the handler's own thread may use it");
    }
  }

  private static SQLException refusal(String name) {
    return new SQLException(
        name
            + "() is refused inside a handler: RowQueue commits when the handler returns and rolls"
            + " back when it throws");
  }

  /** Frameworks switch auto-commit off although it is off already; that is allowed. */
  private static @Nullable Object keepAutoCommitOff(Object @Nullable [] arguments)
      throws SQLException {
    if (arguments != null && Boolean.TRUE.equals(arguments[0])) {
      throw refusal("setAutoCommit");
    }
    return null;
  }

  private void begin() throws SQLException {
    if (!begun) {
      begin = group.begin(watch);
      begun = true;
    }
  }

  private @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      throw cause instanceof SQLException error
          ? rollbackCause.record(error)
          : cause == null ? e : cause;
    }
  }

  /** Statements and results lead back to the connection, and throw errors of their own. */
  private @Nullable Object wrap(@Nullable Object result, @Nullable String sql) {
    if (result instanceof Statement statement) {
      open.add(statement);
    }
    if (result instanceof CallableStatement statement) {
      return guard(CallableStatement.class, onPart(statement, sql));
    }
    if (result instanceof PreparedStatement statement) {
      return guard(PreparedStatement.class, onPart(statement, sql));
    }
    if (result instanceof Statement statement) {
      return guard(Statement.class, onPart(statement, null));
    }
    if (result instanceof ResultSet rows) {
      return guard(ResultSet.class, onPart(rows, null));
    }
    if (result instanceof DatabaseMetaData metaData) {
      return guard(DatabaseMetaData.class, onPart(metaData, null));
    }
    return result;
  }

  /**
   * For an object reached from the connection; a prepared statement has its text from the
   * beginning.
   */
  private InvocationHandler onPart(Object part, @Nullable String sql) {
    Texts texts = new Texts(sql);
    return (proxy, method, arguments) -> {
      String name = method.getName();
      if (!name.equals("close") && !name.equals("isClosed")) {
        checkUse(name);
      }
      if (name.equals("close") && part instanceof Statement) {
        open.remove(part);
      }
      if (name.equals("getConnection")) {
        return guarded;
      }
      if (name.equals("unwrap")) {
        throw refusal(name);
      }
      if (name.equals("setMaxRows") || name.equals("setLargeMaxRows")) {
        // The driver then sets sql_select_limit, and later resets it to the server's default.
        watch.changesSession();
      }
      if (name.equals("addBatch")) {
        texts.add(arguments);
      }
      return wrap(send(texts, part, method, arguments), UNKNOWN);
    };
  }

  private @Nullable Object send(
      Texts texts, Object part, Method method, Object @Nullable [] arguments) throws Throwable {
    String name = method.getName();
    boolean executes = name.startsWith("execute");
    if (executes || ROW_CHANGES.contains(name)) {
      watch.checkNotLeft();
    }
    Ending ending = executes ? texts.endingOf(arguments) : Ending.NEVER;
    return watch.send(ending, () -> invoke(part, method, arguments));
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

  /** A connection that gives producers access to the notifications after its COMMIT. */
  private interface GuardedConnection extends Connection, AfterCommit.Carrier {}

  private static Object objectMethod(
      Class<?> type, Object proxy, Method method, Object @Nullable [] arguments) {
    return switch (method.getName()) {
      case "equals" -> arguments != null && proxy == arguments[0];
      case "hashCode" -> System.identityHashCode(proxy);
      default -> "a handler's " + type.getSimpleName();
    };
  }
}
