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
 * What one transaction does to leaves, gathered until its end. Confined to the transaction's
 * thread.
 */
final class BatchChanges {

  private static final Logger LOG = LoggerFactory.getLogger(BatchChanges.class);

  private final ShardRows shards;
  private final BatchRows batches;
  private final @Nullable AfterCommit notifier;

  /** A child has a higher id than its parent, which it may have to count down. */
  private final NavigableMap<Long, SortedMap<Long, ShardChange>> changes =
      new TreeMap<>(Comparator.reverseOrder());

  BatchChanges(Connection connection, @Nullable AfterCommit notifier) {
    this.shards = new ShardRows(connection);
    this.batches = new BatchRows(connection);
    this.notifier = notifier;
  }

  void note(long shard, ShardChange change) {
    changes
        .computeIfAbsent(CounterShard.batch(shard), batch -> new TreeMap<>())
        .merge(shard, change, ShardChange::plus);
  }

  /**
   * Writes all that was noted.
   *
   * @throws BatchCompleteException if members were added to a batch that is complete, or gone; the
   *     caller undoes all of it
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

  /** A settlement never fails for its count. */
  private static void missing(long batch, ShardChange change) {
    boolean redriven = change.dead() < 0 && change.cancelled() == 0;
    if (change.total() > 0 || redriven) {
      throw new BatchCompleteException(batch);
    }
    LOG.warn("batch {} is gone, and a member of it has ended; it is counted nowhere", batch);
  }

  /** The batch was complete, or is by this. */
  private void turn(long batch, int opened, boolean locked) throws SQLException {
    BatchRows.Locked row = batches.lock(batch);
    if (row == null || row.openShards() == 0) {
      if (opened > 0) {
        throw new BatchCompleteException(batch);
      }
      LOG.warn("batch {} was complete, and a member of it has ended; recount it", batch);
    } else if (row.openShards() + opened <= 0) {
      complete(batch, row, locked);
    } else {
      // It was complete by its condition a moment ago, and its lock shows it open: somebody has
      // changed it since.
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
      if (notifier != null) {
        notifier.onEnqueued(new Topic(topic), 1);
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

  /** Takes the seal's members away; false, to be undone, if it was sealed before, or is gone. */
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
