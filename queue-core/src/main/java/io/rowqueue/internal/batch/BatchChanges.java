package io.rowqueue.internal.batch;

import io.rowqueue.BatchCompleteException;
import io.rowqueue.BatchSettings;
import io.rowqueue.Topic;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.wakeup.AfterCommit;
import io.rowqueue.operate.BatchCounts;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes of batch shards by one transaction, collected until its end. Confined to the
 * transaction's thread.
 */
final class BatchChanges {

  private static final Logger LOG = LoggerFactory.getLogger(BatchChanges.class);

  private final ShardRows shards;
  private final BatchRows batches;
  private final @Nullable AfterCommit afterCommit;

  /** In descending order: a child has a higher id than its parent, whose count it may change. */
  private final NavigableMap<Long, SortedMap<Long, ShardChange>> changes =
      new TreeMap<>(Comparator.reverseOrder());

  BatchChanges(Connection connection, @Nullable AfterCommit afterCommit) {
    this.shards = new ShardRows(connection);
    this.batches = new BatchRows(connection);
    this.afterCommit = afterCommit;
  }

  void note(long shard, ShardChange change) {
    changes
        .computeIfAbsent(CounterShard.batch(shard), batch -> new TreeMap<>())
        .merge(shard, change, ShardChange::plus);
  }

  /**
   * Writes all collected changes.
   *
   * @throws BatchCompleteException if members were added to a batch that is complete, or gone; the
   *     caller rolls back
   */
  void write() throws SQLException {
    while (!changes.isEmpty()) {
      Map.Entry<Long, SortedMap<Long, ShardChange>> next = changes.firstEntry();
      changes.remove(next.getKey());
      write(next.getKey(), next.getValue());
    }
  }

  private void write(long batch, SortedMap<Long, ShardChange> ofShards) throws SQLException {
    ShardRows.Changed changed = shards.change(ofShards);
    for (Long shard : changed.missing()) {
      missing(batch, Objects.requireNonNull(ofShards.get(shard)));
    }
    int opened = changed.opened();
    if (opened != 0 && !batches.change(batch, opened)) {
      turn(batch, opened, false);
    }
  }

  /** A missing shard does not fail a settlement. */
  private static void missing(long batch, ShardChange change) {
    boolean redriven = change.dead() < 0 && change.cancelled() == 0;
    if (change.total() > 0 || redriven) {
      throw new BatchCompleteException(batch);
    }
    LOG.warn(
        "batch {} no longer exists, and a member of it has ended; its end is not counted", batch);
  }

  /** The batch was complete, or this change completes it. */
  private void turn(long batch, int opened, boolean locked) throws SQLException {
    BatchRows.Locked row = batches.lock(batch);
    if (row == null || row.openShards() == 0) {
      if (opened > 0) {
        throw new BatchCompleteException(batch);
      }
      LOG.warn("batch {} was already complete when a member of it ended; recount it", batch);
    } else if (row.openShards() + opened <= 0) {
      complete(batch, row, locked);
    } else {
      // The UPDATE found it complete, but the locked row is open: another transaction has changed
      // it in between.
      batches.change(batch, opened);
    }
  }

  private void complete(long batch, BatchRows.Locked row, boolean locked) throws SQLException {
    batches.complete(batch);
    String topic = row.topic();
    Long parent = row.parent();
    if (topic != null) {
      BatchCounts counts = shards.sum(batch, row.shards(), locked);
      batches.enqueueCompletion(batch, headers(batch, row.headers(), counts));
      if (afterCommit != null) {
        afterCommit.onEnqueued(new Topic(topic), 1);
      }
    } else if (parent != null) {
      note(parent, ShardChange.ACKED);
    }
  }

  private static @Nullable String headers(long batch, @Nullable String its, BatchCounts counts) {
    Map<String, String> headers = new LinkedHashMap<>(Headers.parse(its));
    headers.put(BatchSettings.BATCH_HEADER, Long.toString(batch));
    headers.put(BatchSettings.COUNTS_HEADER, counts.text());
    return Headers.toJson(headers);
  }

  /**
   * Removes the member that kept each shard open. Returns false if the batch was closed before, or
   * is gone; the caller then rolls back.
   */
  boolean close(long batch, int ofShards) throws SQLException {
    int closed = shards.unseal(batch, ofShards);
    if (!batches.close(batch)) {
      return false;
    }
    if (closed > 0 && !batches.change(batch, -closed)) {
      turn(batch, -closed, true);
    }
    write();
    return true;
  }
}
