package io.rowqueue.internal.batch;

import io.rowqueue.BatchCompleteException;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.wakeup.AfterCommit;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The effects of one transaction on batches and chains. Callers report how messages have started or
 * ended, by the value of their column {@code batch_id}: a batch shard, or a negated chain id. No
 * statement runs until {@link #write}, the last of the transaction, because shards are its hottest
 * rows. Confined to the transaction's thread.
 */
public final class BatchCounters {

  private final Connection connection;
  private final @Nullable AfterCommit afterCommit;
  private final ChainRows chains;
  private final BatchChanges tally;
  private final TreeMap<Long, Map<String, String>> acked = new TreeMap<>();
  private final SortedSet<Long> ended = new TreeSet<>();

  private BatchCounters(Connection connection, @Nullable AfterCommit afterCommit) {
    this.connection = connection;
    this.afterCommit = afterCommit;
    this.chains = new ChainRows(connection, afterCommit);
    this.tally = new BatchChanges(connection, afterCommit);
  }

  /**
   * The counters of the transaction on {@code connection}.
   *
   * @param afterCommit notified of the messages that it enqueues; null without notifications
   */
  public static BatchCounters in(Connection connection, @Nullable AfterCommit afterCommit) {
    return new BatchCounters(connection, afterCommit);
  }

  @FunctionalInterface
  public interface Counting {
    void count(BatchCounters members) throws SQLException;
  }

  /**
   * Runs {@code telling} in the transaction of {@code dsl} and writes; must be the last that the
   * transaction does.
   */
  public static void count(DSLContext dsl, Counting telling) {
    dsl.connection(
        connection -> {
          BatchCounters members = in(connection, AfterCommit.of(dsl.configuration()));
          telling.count(members);
          members.write();
        });
  }

  /** Reports cancelled messages; must be the last that the transaction of {@code dsl} does. */
  public static void cancelled(DSLContext dsl, List<Long> batchIds) {
    if (!batchIds.isEmpty()) {
      count(dsl, members -> batchIds.forEach(members::cancelled));
    }
  }

  /** Reports a dead-lettered message; must be the last that the transaction of {@code dsl} does. */
  public static void dead(DSLContext dsl, @Nullable Long batchId) {
    if (batchId != null) {
      count(dsl, members -> members.dead(batchId));
    }
  }

  static boolean isChain(long batchId) {
    return batchId < 0;
  }

  /**
   * A message was acked.
   *
   * @param carried headers for the next step, if it is a chain's
   */
  public void acked(long batchId, Map<String, String> carried) {
    if (isChain(batchId)) {
      acked.put(-batchId, carried);
    } else {
      tally.note(batchId, ShardChange.ACKED);
    }
  }

  public void cancelled(long batchId) {
    if (isChain(batchId)) {
      ended.add(-batchId);
    } else {
      tally.note(batchId, ShardChange.CANCELLED);
    }
  }

  public void dead(long batchId) throws SQLException {
    Long shard = shard(batchId);
    if (shard != null) {
      tally.note(shard, ShardChange.DEAD);
    }
  }

  private @Nullable Long shard(long batchId) throws SQLException {
    return isChain(batchId) ? chains.shard(-batchId) : Long.valueOf(batchId);
  }

  /** A dead letter was deleted. This ends the member only if its shard waits for dead letters. */
  public void discarded(long batchId) throws SQLException {
    Long shard = shard(batchId);
    if (isChain(batchId)) {
      chains.deleteSteps(-batchId);
      chains.end(-batchId);
    }
    if (shard != null && new ShardRows(connection).holds(shard)) {
      tally.note(shard, ShardChange.DISCARDED);
    }
  }

  /**
   * Dead letters become messages again; writes at once.
   *
   * @param batchIds by message id
   * @return those whose batch is complete or gone: they are no longer members of it; a chain
   *     continues nevertheless
   */
  public SortedSet<Long> redriven(Map<Long, Long> batchIds) throws SQLException {
    TreeMap<Long, Map<Long, Long>> byBatch = new TreeMap<>(Comparator.reverseOrder());
    Map<Long, Long> shards = new HashMap<>();
    for (Map.Entry<Long, Long> message : new TreeMap<>(batchIds).entrySet()) {
      Long shard = shard(message.getValue());
      if (shard != null) {
        shards.put(message.getKey(), shard);
        byBatch
            .computeIfAbsent(CounterShard.batch(shard), batch -> new TreeMap<>())
            .put(message.getKey(), message.getValue());
      }
    }
    SortedSet<Long> without = new TreeSet<>();
    for (Map<Long, Long> ofBatch : byBatch.values()) {
      if (!reopened(ofBatch.keySet().stream().map(shards::get).toList())) {
        leave(ofBatch, without);
      }
    }
    return without;
  }

  private void leave(Map<Long, Long> batchIds, SortedSet<Long> without) throws SQLException {
    for (Map.Entry<Long, Long> message : batchIds.entrySet()) {
      if (isChain(message.getValue())) {
        chains.leaveBatch(-message.getValue());
      } else {
        without.add(message.getKey());
      }
    }
  }

  private boolean reopened(List<Long> shards) throws SQLException {
    Savepoint before = connection.setSavepoint();
    try {
      BatchChanges ofBatch = new BatchChanges(connection, afterCommit);
      shards.forEach(shard -> ofBatch.note(shard, ShardChange.REDRIVEN));
      ofBatch.write();
      connection.releaseSavepoint(before);
      return true;
    } catch (BatchCompleteException e) {
      connection.rollback(before);
      return false;
    }
  }

  /**
   * Members were added to a shard.
   *
   * @param first the lowest id of their messages
   */
  public void added(long shard, int members, long first) {
    tally.note(shard, ShardChange.added(members, first));
  }

  /**
   * Corrects a shard by {@code missing} members that do not exist; below zero, it adds members that
   * the shard lacks.
   */
  public void corrected(long shard, int missing) {
    tally.note(
        shard,
        missing > 0
            ? new ShardChange(-missing, 0, 0, 0, missing, null)
            : ShardChange.added(-missing, null));
  }

  public long open(NewBatch batch) throws SQLException {
    return open(batch, null);
  }

  private long open(NewBatch batch, @Nullable Long parent) throws SQLException {
    long id = new BatchRows(connection).insert(batch, parent);
    new ShardRows(connection).insert(id, batch.shards(), batch.holds());
    return id;
  }

  /**
   * Opens a batch as a member of the batch of {@code parent}.
   *
   * @param first no message of it has a lower id
   */
  public long openWithin(long parent, long first, NewBatch batch) throws SQLException {
    tally.note(parent, ShardChange.added(1, first));
    return open(batch, parent);
  }

  /** Creates a chain; its first message carries {@code -id} in batch_id. */
  public long openChain(@Nullable String name, @Nullable Long shard) throws SQLException {
    return chains.insert(name, shard);
  }

  public void addStep(long chain, int number, NewStep step) throws SQLException {
    chains.insertStep(chain, number, step);
  }

  public void begins(long chain, long message) throws SQLException {
    chains.move(chain, message);
  }

  /**
   * Closes a batch, and writes everything that was reported.
   *
   * @return false if it was closed before, or is gone; nothing has changed then
   */
  public boolean close(long batch, int shards) throws SQLException {
    write();
    Savepoint before = connection.setSavepoint();
    if (tally.close(batch, shards)) {
      connection.releaseSavepoint(before);
      return true;
    }
    connection.rollback(before);
    return false;
  }

  /** How many shards the batch has; null if there is no such batch. */
  public @Nullable Integer shards(long batch) throws SQLException {
    return new BatchRows(connection).shards(batch);
  }

  /**
   * Writes everything that was reported: chains by their ids, then shards and batches.
   *
   * @throws BatchCompleteException if members were added to a batch that is complete, or gone; the
   *     caller rolls back
   */
  public void write() throws SQLException {
    advance();
    acked.clear();
    for (long chain : ended) {
      chains.deleteSteps(chain);
      ended(chain, ShardChange.CANCELLED);
    }
    ended.clear();
    tally.write();
  }

  private void advance() throws SQLException {
    if (acked.size() > 1) {
      new ManyChains(connection, afterCommit, chains)
          .advance(acked)
          .forEach(shard -> tally.note(shard, ShardChange.ACKED));
    } else {
      for (Map.Entry<Long, Map<String, String>> chain : acked.entrySet()) {
        if (!chains.advance(chain.getKey(), chain.getValue())) {
          ended(chain.getKey(), ShardChange.ACKED);
        }
      }
    }
  }

  private void ended(long chain, ShardChange change) throws SQLException {
    Long shard = chains.end(chain);
    if (shard != null) {
      tally.note(shard, change);
    }
  }

  /**
   * A step of a chain as the columns hold it.
   *
   * @param delayMicros from the ack of the message before it on
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record NewStep(
      String topic, int priority, long delayMicros, @Nullable String headers, byte[] payload) {}

  /**
   * A batch to be opened.
   *
   * @param name for people
   * @param shards how many counters its members share, 1 to 64
   * @param holds whether a dead letter is unsettled until it is redriven or discarded
   * @param completion with its payload as the column holds it; null if it has none
   */
  public record NewBatch(
      @Nullable String name, int shards, boolean holds, @Nullable NewMessage completion) {}
}
