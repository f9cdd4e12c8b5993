package io.rowqueue.internal.handle;

import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.database.WorkFailure;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Notices the statement by which a handler ends its message's transaction. Confined to the
 * handler's thread.
 */
final class StatementMonitor {

  private final Transaction transaction;
  private final Connection raw;
  private final Handling handling;
  private final Doom doom;
  private final SharedTransaction neighbours;
  private @Nullable SavepointMark unasked;
  private boolean sessionChanged;

  StatementMonitor(
      Transaction transaction, Handling handling, Doom doom, SharedTransaction neighbours) {
    this.transaction = transaction;
    this.raw = transaction.connection();
    this.handling = handling;
    this.doom = doom;
    this.neighbours = neighbours;
  }

  /** How a statement is sent. */
  interface Sending {
    @Nullable Object send() throws Throwable;
  }

  /** A mark in the transaction. */
  SavepointMark mark() throws SQLException {
    try {
      return SavepointMark.in(raw);
    } catch (SQLException e) {
      throw doom.seen(e);
    }
  }

  /** Sends a statement; if it may end the transaction, looks whether it did. */
  @Nullable Object send(Ending ending, Sending statement) throws Throwable {
    if (ending == Ending.NEVER) {
      return statement.send();
    }
    if (ending == Ending.REFUSED) {
      throw new SQLException(
          "USE is refused inside a handler: RowQueue's own statements would go to that database;"
              + " name tables with their database");
    }
    neighbours.afterStatements();
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

  /** What the handler is about to do outlasts its transaction. */
  void changesSession() {
    sessionChanged = true;
    transaction.discardConnection();
  }

  /**
   * Has RowQueue's own statements, which come next, find the session as they need it.
   *
   * @throws WorkFailure if the handler has led it to another database
   */
  void restoreSession() throws SQLException {
    if (!sessionChanged) {
      return;
    }
    SessionSettings.apply(raw);
    try (Statement statement = raw.createStatement();
        ResultSet row = statement.executeQuery("SELECT DATABASE()")) {
      row.next();
      String database = row.getString(1);
      String own = raw.getCatalog() == null ? raw.getSchema() : raw.getCatalog();
      if (!Objects.equals(database, own)) {
        throw new WorkFailure(
            new IllegalStateException(
                "the handler has led its session to the database %s; name tables with their database instead"
                    .formatted(database)));
      }
    }
  }

  /** What is sent behind doom belongs to another transaction, which nothing may commit. */
  private void checkMayEnd() throws SQLException {
    SQLException doomed = doom.error();
    if (doomed != null) {
      throw new SQLException(
          "a statement that may commit is refused, since the server gave up this transaction, and"
              + " RowQueue rolls it back: "
              + doomed.getMessage(),
          doomed);
    }
  }

  /** Refuses everything behind the end of the transaction. */
  void checkNotLeft() throws SQLException {
    if (handling.endedTransaction()) {
      throw new SQLException(
          "the handler ended the message's transaction by its last statement, and nothing more is"
              + " sent for it: the message becomes a dead letter");
    }
  }

  /**
   * Whether the statement, which has just returned or failed, ended the transaction. One that does
   * so ends it before it waits for anything. Most dooms end it as well, and then nobody can tell.
   */
  private boolean endedBy(Ending ending, SavepointMark before) {
    boolean gone = canBeAsked() && isGone(before) && !serverEnds(doom.error());
    return gone || (ending == Ending.ALWAYS && doom.error() != null);
  }

  private boolean canBeAsked() {
    SQLException doomed = doom.error();
    return doomed == null || TransientFailures.keepsTransaction(doomed);
  }

  private boolean isGone(SavepointMark mark) {
    try {
      return !mark.release();
    } catch (SQLException e) {
      // A result is still being read, for example: it is asked in the end.
      doom.seen(e);
      unasked = unasked == null ? mark : unasked;
      return false;
    }
  }

  /** Whether this server is one of those that roll back everything at a lock wait timeout. */
  private boolean serverEnds(@Nullable SQLException timeout) {
    if (timeout == null) {
      return false;
    }
    try (Statement statement = raw.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@innodb_rollback_on_timeout")) {
      return row.next() && row.getBoolean(1);
    } catch (SQLException e) {
      doom.seen(e);
      return false;
    }
  }

  /** Whether the handler, which has come to its end, ended the transaction. */
  boolean hasLeft() {
    SavepointMark late = unasked;
    if (late != null && doom.error() == null && !isSurelyThere(late)) {
      handling.leave();
    }
    return handling.endedTransaction();
  }

  /** Whoever cannot be asked, in the end, may have committed, and must not do so again. */
  private static boolean isSurelyThere(SavepointMark mark) {
    try {
      return mark.release();
    } catch (SQLException e) {
      return false;
    }
  }
}
