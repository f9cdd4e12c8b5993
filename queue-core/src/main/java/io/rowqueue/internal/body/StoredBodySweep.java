package io.rowqueue.internal.body;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.spi.BodyStore;
import java.time.Duration;
import java.util.Set;

/**
 * Deletes from the stores of this worker what no message owns any more. Thread-safe; any number of
 * workers may sweep at once. Whoever has no store sends no statement.
 */
public interface StoredBodySweep {

  /** Whether there is any store here. */
  boolean isOfUse();

  /**
   * Deletes the bodies whose messages are gone, and their rows.
   *
   * @return how many messages' payloads it was
   */
  int sweepRows(int batch);

  /**
   * Deletes what a store has had for at least {@code age} and no row names: left over by
   * transactions that did not commit. A transaction that lasts longer loses its body.
   *
   * @return how many it was
   */
  int sweepStores(Duration age);

  /** One that knows {@code stores}. */
  static StoredBodySweep over(Transactions transactions, Set<BodyStore> stores) {
    return new JooqStoredBodySweep(transactions, stores);
  }
}
