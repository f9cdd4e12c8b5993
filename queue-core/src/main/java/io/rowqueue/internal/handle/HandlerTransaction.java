package io.rowqueue.internal.handle;

import io.rowqueue.handler.LeftTransactionException;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.Transactions;
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
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jooq.Configuration;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
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
 * Mark. A savepoint of random name is set before the handler's first statement (of several that
 * share their COMMIT, before the first one's), and another one around each statement that may end the
 * transaction by its text: COMMIT, DDL, a procedure. If one is gone, the transaction was ended, and
 * what the handler wrote may be committed without its message's deletion. Who sends no statement can
 * have ended nothing, and pays nothing.
 *
 * Behind a lost mark nothing more is sent, and the connection is cut: its session may hold anything.
 * Behind doom nothing is sent that may end what is now a transaction of its own; a handler may clean
 * up, by releasing a lock for example.
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

  /** A rollback that gets as far as this is one to a savepoint. */
  private static final Set<String> SAVEPOINTS =
      Set.of("setSavepoint", "releaseSavepoint", "rollback");

  /** What sends something without being called an execution. */
  private static final Set<String> ROW_CHANGES =
      Set.of("updateRow", "insertRow", "deleteRow", "refreshRow");

  /** The text of a statement that was reached from its own result. */
  private static final String UNKNOWN = "";

  private final Connection raw;
  private final Handling handling;
  private final AfterCommit afterCommit;
  private final SQLDialect dialect;
  private final Connection guarded;
  private final Thread owner = Thread.currentThread();
  private final Doom doom = new Doom();
  private final StatementMonitor watch;
  private final SharedTransaction neighbours;
  private @Nullable SavepointMark begin;
  private boolean begun;
  private boolean over;

  /** What the handler has made and not closed; another thread may close it. */
  private final Set<Statement> open = ConcurrentHashMap.newKeySet();

  /** For a handling that has its transaction for itself. */
  HandlerTransaction(Transaction transaction, Handling handling) {
    this(transaction, handling, SharedTransaction.NONE);
  }

  /** For a handling that shares its transaction with {@code neighbours}. */
  HandlerTransaction(Transaction transaction, Handling handling, SharedTransaction neighbours) {
    this.raw = transaction.connection();
    this.handling = handling;
    this.neighbours = neighbours;
    this.watch = new StatementMonitor(transaction, handling, doom, neighbours);
    this.afterCommit = transaction.afterCommit();
    this.dialect = transaction.dialect();
    this.guarded = guard(GuardedConnection.class, this::onConnection);
  }

  /** What the handler may have. */
  Connection connection() {
    return guarded;
  }

  /** JOOQ on that connection, where a nested transaction is a savepoint. */
  DSLContext dsl() {
    Configuration configuration =
        Transactions.dsl(guarded, dialect)
            .configuration()
            .derive(new SavepointTransactions(guarded));
    afterCommit.attach(configuration);
    return DSL.using(configuration);
  }

  /**
   * Runs {@code handler}, after which its connection refuses everything.
   *
   * @throws LeftTransactionException if the handler ended the transaction, whatever it did then
   * @throws DoomedException of the error after which this transaction must not commit, even if the
   *     handler swallowed it and went on
   * @throws SQLException if RowQueue's own statements fail
   */
  void run(Runnable handler) throws SQLException, DoomedException {
    WorkFailure failure = null;
    try {
      handler.run();
    } catch (WorkFailure e) {
      failure = e;
    } finally {
      over = true;
      closeStatements();
    }
    if (watch.hasLeft()) {
      throw left(failure);
    }
    SQLException doomed = doom.error();
    if (failure != null && (doomed == null || handling.timedOut())) {
      throw failure;
    }
    if (doomed != null) {
      throw new DoomedException(doomed);
    }
    watch.restoreSession();
  }

  /** Nobody can use them any more, and a result that is still open would stop what comes next. */
  private void closeStatements() {
    for (Statement statement : open) {
      try {
        statement.close();
      } catch (SQLException e) {
        doom.seen(e);
      }
    }
    open.clear();
  }

  /** The pool gets back a connection that is closed, and not one with auto-commit on or locks. */
  private LeftTransactionException left(@Nullable WorkFailure failure) {
    LeftTransactionException left = new LeftTransactionException();
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
   * Takes back what the handler has written, and leaves the transaction as it was before it, if
   * that can be done without undoing its neighbours.
   *
   * @return whether it could
   * @throws LeftTransactionException if the handler ended the transaction
   */
  boolean undo() throws SQLException {
    checkStillThere(begin == null || begin.rollBackTo());
    return begin != null || !begun;
  }

  /** Whether it has sent anything. */
  boolean hasBegun() {
    return begun;
  }

  /**
   * Checks that the transaction is still the one that the handler was given, whatever anybody did
   * to it.
   *
   * @throws LeftTransactionException if it was ended
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
      neighbours.afterStatements();
    }
    return wrap(invoke(raw, method, arguments), Texts.text(arguments));
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

  private void begin() throws SQLException {
    if (!begun) {
      begin = neighbours.begin(watch);
      begun = true;
    }
  }

  private @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      Throwable cause = e.getCause();
      throw cause instanceof SQLException error ? doom.seen(error) : cause == null ? e : cause;
    }
  }

  /** Statements and results lead back to the connection, and bring errors of their own. */
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

  /** What is reached from the connection; a prepared statement has its text from the beginning. */
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
        // The driver then sets sql_select_limit, and later to the server's default.
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

  /** A connection that tells producers what is rung for after its COMMIT. */
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
