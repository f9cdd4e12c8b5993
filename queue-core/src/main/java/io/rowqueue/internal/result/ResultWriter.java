package io.rowqueue.internal.result;

import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.Transaction;
import java.sql.SQLException;
import java.util.Collection;

/** Writes what handlers gave back, in the transaction that acks. Thread-safe. */
public interface ResultWriter {

  /**
   * Writes the results of those of {@code claims} that have one; sends nothing where none has.
   *
   * @param claims deleted by this transaction, each of them
   */
  void keep(Transaction transaction, Collection<Claim> claims) throws SQLException;
}
