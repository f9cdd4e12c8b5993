package io.rowqueue.internal.batch;

import io.rowqueue.BatchCompleteException;
import io.rowqueue.BatchSettings;
import io.rowqueue.Topic;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.wakeup.PendingRing;
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
final class Tally {

  private static final Logger LOG = LoggerFactory.getLogger(Tally.class);

  private final LeafRows leaves;
  private final BatchRows batches;
  private final @Nullable PendingRing ring;

  /** A child has a higher id than its parent, which it may have to count down. */
  private final NavigableMap<Long, SortedMap<Long, LeafChange>> changes =
      new TreeMap<>(Comparator.reverseOrder());

  Tally(Connection connection, @Nullable PendingRing ring) {
    this.leaves = new LeafRows(connection);
    this.batches = new BatchRows(connection);
    this.ring = ring;
  }

  void note(long leaf, LeafChange change) {
    changes
        .computeIfAbsent(Leaf.batch(leaf), batch -> new TreeMap<>())
        .merge(leaf, change, LeafChange::plus);
  }

  /**
   * Writes all that was noted.
   *
   * @throws BatchCompleteException if members were added to a batch that is complete, or gone; the
   *     caller undoes all of it
   */
  void write() throws SQLException {
    while (!changes.isEmpty()) {
      Map.Entry<Long, SortedMap<Long, LeafChange>> next = changes.firstEntry();
      changes.remove(next.getKey());
      write(next.getKey(), next.getValue());
    }
  }

  private void write(long batch, SortedMap<Long, LeafChange> ofLeaves) throws SQLException {
    LeafRows.Changed changed = leaves.change(ofLeaves);
    for (Long leaf : changed.missing()) {
      missing(batch, Objects.requireNonNull(ofLeaves.get(leaf)));
    }
    int opened = changed.opened();
    if (opened != 0 && !batches.change(batch, opened)) {
      turn(batch, opened, false);
    }
  }

  /** A settlement never fails for its count. */
  private static void missing(long batch, LeafChange change) {
    boolean redriven = change.dead() < 0 && change.cancelled() == 0;
    if (change.total() > 0 || redriven) {
      throw new BatchCompleteException(batch);
    }
    LOG.warn("batch {} is gone, and a member of it has ended; it is counted nowhere", batch);
  }

  /** The batch was complete, or is by this. */
  private void turn(long batch, int opened, boolean locked) throws SQLException {
    BatchRows.Locked row = batches.lock(batch);
    if (row == null || row.openLeaves() == 0) {
      if (opened > 0) {
        throw new BatchCompleteException(batch);
      }
      LOG.warn("batch {} was complete, and a member of it has ended; recount it", batch);
    } else if (row.openLeaves() + opened <= 0) {
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
      BatchCounts counts = leaves.sum(batch, row.leaves(), locked);
      batches.enqueueCompletion(batch, headers(batch, row.headers(), counts));
      if (ring != null) {
        ring.note(new Topic(topic), 1);
      }
    } else if (parent != null) {
      note(parent, LeafChange.ACKED);
    }
  }

  private static @Nullable String headers(long batch, @Nullable String its, BatchCounts counts) {
    Map<String, String> headers = new LinkedHashMap<>(Headers.parse(its));
    headers.put(BatchSettings.BATCH_HEADER, Long.toString(batch));
    headers.put(BatchSettings.COUNTS_HEADER, counts.text());
    return Headers.toJson(headers);
  }

  /** Takes the seal's members away; false, to be undone, if it was sealed before, or is gone. */
  boolean seal(long batch, int ofLeaves) throws SQLException {
    int closed = leaves.unseal(batch, ofLeaves);
    if (!batches.seal(batch)) {
      return false;
    }
    if (closed > 0 && !batches.change(batch, -closed)) {
      turn(batch, -closed, true);
    }
    write();
    return true;
  }
}
