package io.rowqueue.internal.handle;

import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.database.WorkFailure;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Detects statements by which a handler ends its message's transaction. Confined to the handler's
 * thread.
 */
final class StatementMonitor {

  private final Transaction transaction;
  private final Connection raw;
  private final Handling handling;
  private final RollbackCause rollbackCause;
  private final SharedTransaction group;
  private @Nullable SavepointMark unasked;

  /** Before the handler changed its session; null if it has not. */
  private @Nullable String database;

  StatementMonitor(
      Transaction transaction,
      Handling handling,
      RollbackCause rollbackCause,
      SharedTransaction group) {
    this.transaction = transaction;
    this.raw = transaction.connection();
    this.handling = handling;
    this.rollbackCause = rollbackCause;
    this.group = group;
  }

  /** The transaction that the handler's statements are in. */
  Transaction transaction() {
    return transaction;
  }

  /** Sends a statement. */
  interface Sending {
    @Nullable Object send() throws Throwable;
  }

  /** Sets a savepoint in the transaction. */
  SavepointMark mark() throws SQLException {
    try {
      return SavepointMark.in(raw);
    } catch (SQLException e) {
      throw rollbackCause.record(e);
    }
  }

  /** Sends a statement; if it may end the transaction, checks whether it did. */
  @Nullable Object send(Ending ending, Sending statement) throws Throwable {
    if (ending == Ending.NEVER) {
      return statement.send();
    }
    if (ending == Ending.REFUSED) {
      throw new SQLException(
          "USE is refused inside a handler: RowQueue's own statements would go to that database;"
              + " name tables with their database");
    }
    if (transaction.isManaged() && (ending == Ending.SESSION || ending == Ending.PERHAPS)) {
      throw new SQLException(
          "a statement that changes the session, several statements in one text, or an unknown one"
              + " is refused inside a handler whose transaction a framework manages, because its"
              + " connection goes back to the application's pool; send it on another connection,"
              + " and close that");
    }
    handling.sendMoreThanRows();
    group.beforeMoreThanRows(this);
    if (ending == Ending.SAVEPOINT) {
      return statement.send();
    }
    if (ending != Ending.CALL) {
      changesSession();
    }
    if (ending == Ending.SESSION) {
      return statement.send();
    }
    checkMayEnd();
    SavepointMark before = mark();
    Object result;
    try {
      result = statement.send();
    } catch (SQLException e) {
      if (endedBy(ending, before)) {
        handling.leave();
      }
      throw e;
    }
    if (endedBy(ending, before)) {
      handling.leave();
      checkNotLeft();
    }
    return result;
  }

  /** The handler is about to change something that outlives its transaction. */
  void changesSession() throws SQLException {
    if (database == null) {
      database = database();
    }
    transaction.discardConnection();
  }

  /** As the server spells it, which the URL may do otherwise (lower_case_table_names). */
  private String database() throws SQLException {
    try (Statement statement = raw.createStatement();
        ResultSet row = statement.executeQuery("SELECT DATABASE()")) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }

  /**
   * Restores the session settings that RowQueue's next statements need.
   *
   * @throws WorkFailure if the handler has switched to another database
   */
  void restoreSession() throws SQLException {
    if (database == null) {
      return;
    }
    SessionSettings.apply(raw);
    String now = database();
    if (!now.equals(database)) {
      throw new WorkFailure(
          new IllegalStateException(
              "the handler has switched its session to the database %s; name tables with their database instead"
                  .formatted(now)));
    }
  }

  /** After a fatal error, a statement runs in another transaction, which must not be committed. */
  private void checkMayEnd() throws SQLException {
    SQLException fatal = rollbackCause.error();
    if (fatal != null) {
      throw new SQLException(
          "a statement that may commit is refused, since the server has rolled back this"
              + " transaction, and RowQueue ends it: "
              + fatal.getMessage(),
          fatal);
    }
  }

  /** Refuses every statement after the end of the transaction. */
  void checkNotLeft() throws SQLException {
    if (handling.endedTransaction()) {
      throw new SQLException(
          "the handler ended the message's transaction with its last statement, so no more"
              + " statements are sent: the message becomes a dead letter");
    }
  }

  /**
   * Whether the statement, which has just returned or failed, ended the transaction. A statement
   * that does so ends it before it waits for anything. Most fatal errors end it as well, and then
   * the cause cannot be determined.
   */
  private boolean endedBy(Ending ending, SavepointMark before) {
    boolean gone = canBeAsked() && isGone(before) && !serverEnds(rollbackCause.error());
    return gone || (ending == Ending.ALWAYS && rollbackCause.error() != null);
  }

  private boolean canBeAsked() {
    SQLException fatal = rollbackCause.error();
    return fatal == null || TransientFailures.keepsTransaction(fatal);
  }

  private boolean isGone(SavepointMark mark) {
    try {
      return !mark.release();
    } catch (SQLException e) {
      // For example, a result is still being read; then the savepoint is checked at the end.
      rollbackCause.record(e);
      unasked = unasked == null ? mark : unasked;
      return false;
    }
  }

  /** Whether this server rolls back the whole transaction at a lock wait timeout. */
  private boolean serverEnds(@Nullable SQLException timeout) {
    if (timeout == null) {
      return false;
    }
    try (Statement statement = raw.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@innodb_rollback_on_timeout")) {
      return row.next() && row.getBoolean(1);
    } catch (SQLException e) {
      rollbackCause.record(e);
      return false;
    }
  }

  /** Whether the handler, which has ended, ended the transaction. */
  boolean hasLeft() {
    SavepointMark late = unasked;
    if (late != null && rollbackCause.error() == null && !isSurelyThere(late)) {
      handling.leave();
    }
    return handling.endedTransaction();
  }

  /**
   * If the check fails, the transaction may have been committed, so the handling must not be
   * repeated.
   */
  private static boolean isSurelyThere(SavepointMark mark) {
    try {
      return mark.release();
    } catch (SQLException e) {
      return false;
    }
  }
}
