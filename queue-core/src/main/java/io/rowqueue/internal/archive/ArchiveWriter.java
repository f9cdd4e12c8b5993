package io.rowqueue.internal.archive;

import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.Transaction;
import java.sql.SQLException;
import java.util.List;

/** Copies messages in the transaction that acknowledges them. Thread-safe. */
public interface ArchiveWriter {

  /**
   * Copies the messages of {@code claims} whose topics keep copies and that are still held; their
   * rows are then locked, and the caller deletes them in the same transaction. For every other
   * topic this sends nothing.
   *
   * @param claims of one worker and with one claim number
   */
  void keep(Transaction transaction, List<Claim> claims) throws SQLException;
}
