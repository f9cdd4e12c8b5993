package io.rowqueue.internal.body;

import static io.rowqueue.internal.table.Tables.QUEUE_PAYLOAD_REF;

import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.database.Pruning;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.spi.BodyStore;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jooq.Record3;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes payloads that no message owns any more from the stores of this worker. Thread-safe; any
 * number of workers may sweep concurrently. A worker without stores sends no statement.
 *
 * <p>Deletes the payload before its row: after a crash in between, the next sweep finds the row
 * again, and deleting a missing payload succeeds.
 */
public final class StoredBodySweep {

  private static final Logger LOG = LoggerFactory.getLogger(StoredBodySweep.class);

  private final Transactions transactions;
  private final Map<String, BodyStore> stores;
  private final RefusedRows<Long> refused =
      Pruning.rows("the deletion of the stored payload of message");

  public StoredBodySweep(Transactions transactions, Set<BodyStore> stores) {
    this.transactions = transactions;
    this.stores = stores.stream().collect(Collectors.toMap(BodyStore::name, Function.identity()));
  }

  /** Whether this worker has a store. */
  public boolean isOfUse() {
    return !stores.isEmpty();
  }

  /**
   * Deletes the payloads whose messages no longer exist, and their rows.
   *
   * @param batch rows per query
   * @return the number of payloads deleted
   */
  public int sweepRows(int batch) {
    UndeletedBodies undeleted = new UndeletedBodies();
    try {
      return IndependentParts.<Record3<Long, String, String>>sumOfPages(
          batch, last -> rows(last, batch), rows -> delete(rows, undeleted));
    } finally {
      undeleted.log();
    }
  }

  /** Deletes those whose messages no longer exist. */
  private int delete(List<Record3<Long, String, String>> rows, UndeletedBodies undeleted) {
    List<Long> ids = rows.stream().map(Record3::value1).toList();
    Set<Long> gone =
        Set.copyOf(
            transactions.read(
                dsl ->
                    JooqOwners.abandoned(
                        dsl, QUEUE_PAYLOAD_REF.MESSAGE_ID, DSL.noCondition(), ids)));
    return RefusedRows.sum(
        refused.changeEach(
            refused.others(
                rows.stream().filter(row -> gone.contains(row.value1())).toList(), Record3::value1),
            Record3::value1,
            row -> deleteBodyAndRow(row, undeleted)));
  }

  /** Reads rows of this worker's stores, by message id. */
  private List<Record3<Long, String, String>> rows(
      @Nullable Record3<Long, String, String> last, int limit) {
    long above = last == null ? Long.MIN_VALUE : last.value1();
    return transactions.read(
        dsl ->
            dsl.select(
                    QUEUE_PAYLOAD_REF.MESSAGE_ID,
                    QUEUE_PAYLOAD_REF.STORE,
                    QUEUE_PAYLOAD_REF.REFERENCE)
                .from(QUEUE_PAYLOAD_REF.forceIndex("PRIMARY"))
                .where(QUEUE_PAYLOAD_REF.MESSAGE_ID.gt(above))
                .and(QUEUE_PAYLOAD_REF.STORE.in(stores.keySet()))
                .orderBy(QUEUE_PAYLOAD_REF.MESSAGE_ID)
                .limit(limit)
                .fetch());
  }

  /** Keeps the row if the payload cannot be deleted, for the next sweep. */
  private int deleteBodyAndRow(Record3<Long, String, String> row, UndeletedBodies undeleted) {
    BodyStore store = stores.get(row.value2());
    if (store == null || !delete(store, row.value3(), undeleted)) {
      return 0;
    }
    return transactions.run(
        Transition.SWEEP_STORED,
        tx ->
            tx.dsl()
                .deleteFrom(QUEUE_PAYLOAD_REF)
                .where(QUEUE_PAYLOAD_REF.MESSAGE_ID.eq(row.value1()))
                .execute());
  }

  /** A reference that the store does not have counts as deleted. */
  private static boolean delete(BodyStore store, String reference, UndeletedBodies undeleted) {
    try {
      store.delete(reference);
      return true;
    } catch (NoSuchFileException e) {
      return true;
    } catch (IOException | RuntimeException e) {
      undeleted.add(store.name(), reference, e);
      return false;
    }
  }

  /**
   * Deletes payloads that are at least {@code age} old and that no row references: they are left
   * over from transactions that did not commit. A transaction that takes longer loses its payload.
   *
   * @return the number of payloads deleted
   */
  public int sweepStores(Duration age) {
    return stores.values().stream().mapToInt(store -> sweepStore(store, age)).sum();
  }

  private int sweepStore(BodyStore store, Duration age) {
    int swept = 0;
    UndeletedBodies undeleted = new UndeletedBodies();
    try (Stream<String> old = store.olderThan(age)) {
      for (Iterator<String> each = old.iterator(); each.hasNext(); ) {
        String reference = each.next();
        if (!isNamed(store.name(), reference) && delete(store, reference, undeleted)) {
          swept++;
        }
      }
    } catch (IOException | RuntimeException e) {
      LOG.warn(
          "the payloads in {} cannot be listed; the next sweep tries again: {}",
          store.name(),
          FailureText.of(e));
    }
    undeleted.log();
    return swept;
  }

  private boolean isNamed(String store, String reference) {
    return transactions.read(
        dsl ->
            dsl.fetchExists(
                dsl.selectOne()
                    .from(QUEUE_PAYLOAD_REF)
                    .where(QUEUE_PAYLOAD_REF.STORE.eq(store))
                    .and(QUEUE_PAYLOAD_REF.REFERENCE.eq(reference))));
  }

  /**
   * Payloads that one sweep could not delete. An unavailable store refuses each of them for one
   * reason, so it causes one warning. Confined to the sweep's thread.
   */
  private static final class UndeletedBodies {

    private static final Logger LOG = LoggerFactory.getLogger(UndeletedBodies.class);

    private final Map<String, Of> stores = new TreeMap<>();

    private record Of(int bodies, String first, Exception failure) {}

    void add(String store, String reference, Exception failure) {
      stores.merge(
          store,
          new Of(1, reference, failure),
          (before, one) -> new Of(before.bodies + 1, before.first, before.failure));
    }

    /** Logs one warning per store. */
    void log() {
      stores.forEach(
          (store, of) ->
              LOG.warn(
                  "{} not be deleted from {}, the first is {}; the next sweep tries again: {}",
                  Humanize.count(of.bodies, "payload could", "payloads could"),
                  store,
                  of.first,
                  FailureText.of(of.failure)));
    }
  }
}
