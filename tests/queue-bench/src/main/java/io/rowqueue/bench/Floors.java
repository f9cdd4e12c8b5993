package io.rowqueue.bench;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.Drainer.Effect;
import io.rowqueue.bench.Drainer.Progress;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.RowQueueDrainer.QueueTable.Work;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Threads;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

final class Floors {

  private static final int THREADS = RowQueueDrainer.THREADS;

  /** As many as the worker claims at most. */
  private static final int LIMIT = 500;

  private static final String LOCK_ID = "bare-1-loop";
  private static final String IDS = String.join(",", Collections.nCopies(LIMIT, "?"));
  private static final Claimed END = new Claimed(0, 0, new byte[0]);

  private Floors() {}

  /**
   * One transaction for each message, of ids that are known, by primary key. Nobody who commits
   * each message by itself can do less.
   */
  static final class DeleteFloor extends Drainer.OfQueue {
    private final Effect effect;

    DeleteFloor(QueueDatabase database, Effect effect) {
      super("floor: DELETE by id, COMMIT", new QueueTable(database));
      this.effect = effect;
      effect.prepare(database);
    }

    @Override
    public void drain(Progress progress) throws Exception {
      List<Long> ids = table.ids();
      AtomicInteger next = new AtomicInteger();
      Threads.run(THREADS, () -> deleteAll(ids, next, progress));
      progress.finish();
    }

    private void deleteAll(List<Long> ids, AtomicInteger next, Progress progress)
        throws SQLException {
      try (Connection connection = Bare.connect(database);
          PreparedStatement delete =
              connection.prepareStatement("DELETE FROM queue_message WHERE id = ?")) {
        for (int i = next.getAndIncrement(); i < ids.size(); i = next.getAndIncrement()) {
          effect.happen(connection, i);
          delete.setLong(1, ids.get(i));
          delete.executeUpdate();
          connection.commit();
          progress.done(1);
        }
      }
    }
  }

  /**
   * The same protocol in plain JDBC: one thread claims, the others each decode, delete by id,
   * lock_id and claim number, and commit. It claims by one locking read of the claim key, which is
   * a statement less than RowQueue's, and may deadlock where RowQueue does not.
   */
  static final class BareLoop extends Drainer.OfQueue {
    private final ObjectMapper json = new ObjectMapper();

    BareLoop(QueueDatabase database) {
      super("the same protocol in plain JDBC", new QueueTable(database));
    }

    @Override
    public void drain(Progress progress) throws Exception {
      BlockingQueue<Claimed> claimed = new ArrayBlockingQueue<>(2 * LIMIT);
      List<Threads.Work> works = new ArrayList<>(List.of(() -> claimAll(claimed)));
      works.addAll(Collections.nCopies(THREADS, () -> handleAll(claimed, progress)));
      Threads.run(works);
      progress.finish();
    }

    private void claimAll(BlockingQueue<Claimed> claimed)
        throws SQLException, InterruptedException {
      try (BareClaims claims = new BareClaims(Bare.connect(database))) {
        for (List<Claimed> some = claims.claim(); !some.isEmpty(); some = claims.claim()) {
          for (Claimed each : some) {
            claimed.put(each);
          }
        }
      }
      for (int i = 0; i < THREADS; i++) {
        claimed.put(END);
      }
    }

    private void handleAll(BlockingQueue<Claimed> claimed, Progress progress)
        throws SQLException, IOException, InterruptedException {
      try (Connection connection = Bare.connect(database);
          PreparedStatement delete =
              connection.prepareStatement(
                  "DELETE FROM queue_message WHERE id = ? AND lock_id = ? AND claims = ?")) {
        for (Claimed each = claimed.take(); each.id() > 0; each = claimed.take()) {
          json.readValue(each.payload(), Work.class);
          delete.setLong(1, each.id());
          delete.setString(2, LOCK_ID);
          delete.setInt(3, each.number());
          if (delete.executeUpdate() != 1) {
            throw new IllegalStateException("the claim of message " + each.id() + " was lost");
          }
          connection.commit();
          progress.done(1);
        }
      }
    }
  }

  /** One thread claims 500 at a time, and another deletes 500 at a time. */
  static final class GroupedFloor extends Drainer.OfQueue {
    private static final String DELETE =
        "DELETE m FROM queue_message m FORCE INDEX (PRIMARY) WHERE m.id IN (%s) AND m.lock_id = '%s' AND m.claims = 1"
            .formatted(IDS, LOCK_ID);
    private static final int AHEAD = 2;

    GroupedFloor(QueueDatabase database) {
      super("grouped floor: 500 claimed, 500 deleted", new QueueTable(database));
    }

    @Override
    public void drain(Progress progress) throws Exception {
      BlockingQueue<List<Claimed>> claimed = new ArrayBlockingQueue<>(AHEAD);
      Threads.run(List.<Threads.Work>of(() -> claimAll(claimed), () -> ackAll(claimed, progress)));
      progress.finish();
    }

    private void claimAll(BlockingQueue<List<Claimed>> claimed)
        throws SQLException, InterruptedException {
      try (BareClaims claims = new BareClaims(Bare.connect(database))) {
        List<Claimed> some;
        do {
          some = claims.claim();
          claimed.put(some);
        } while (!some.isEmpty());
      }
    }

    private void ackAll(BlockingQueue<List<Claimed>> claimed, Progress progress)
        throws SQLException, InterruptedException {
      try (Connection connection = Bare.connect(database);
          PreparedStatement delete = connection.prepareStatement(DELETE)) {
        for (List<Claimed> some = claimed.take(); !some.isEmpty(); some = claimed.take()) {
          BareClaims.bindIds(delete, some);
          if (delete.executeUpdate() != some.size()) {
            throw new IllegalStateException("a claim was lost");
          }
          connection.commit();
          progress.done(some.size());
        }
      }
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Claimed(long id, int number, byte[] payload) {}

  /** The protocol's claim, with a cursor that is reset once a second. For one thread. */
  private static final class BareClaims implements AutoCloseable {
    private static final long RESET_NANOS = 1_000_000_000L;
    private static final String SELECT =
        "SELECT id, payload, claims FROM queue_message FORCE INDEX (queue_message_claim)"
            + " WHERE topic = 'bench' AND state = 0 AND priority = 0 AND id > ?"
            + " ORDER BY priority, id LIMIT "
            + LIMIT
            + " FOR UPDATE SKIP LOCKED";
    private static final String RESET =
        "SELECT id FROM queue_message FORCE INDEX (queue_message_claim)"
            + " WHERE topic = 'bench' AND state = 0 ORDER BY priority, id LIMIT 1";
    private static final String UPDATE =
        "UPDATE queue_message FORCE INDEX (PRIMARY) SET state = 1, lock_id = '%s', claims = claims + 1, started = 0, updated_at = UTC_TIMESTAMP(6) WHERE id IN (%s)"
            .formatted(LOCK_ID, IDS);

    private final Connection connection;
    private final PreparedStatement select;
    private final PreparedStatement reset;
    private final PreparedStatement update;
    private long cursor;
    private long resetNanos = System.nanoTime();

    BareClaims(Connection connection) throws SQLException {
      this.connection = connection;
      this.select = connection.prepareStatement(SELECT);
      this.reset = connection.prepareStatement(RESET);
      this.update = connection.prepareStatement(UPDATE);
    }

    /** The next ones, committed; none if the queue is empty. */
    List<Claimed> claim() throws SQLException {
      if (System.nanoTime() - resetNanos > RESET_NANOS) {
        reset();
      }
      List<Claimed> claimed = new ArrayList<>(LIMIT);
      select.setLong(1, cursor);
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          claimed.add(new Claimed(rows.getLong(1), rows.getInt(3) + 1, rows.getBytes(2)));
        }
      }
      if (!claimed.isEmpty()) {
        bindIds(update, claimed);
        update.executeUpdate();
        cursor = claimed.get(claimed.size() - 1).id();
      }
      connection.commit();
      return claimed;
    }

    private void reset() throws SQLException {
      try (ResultSet row = reset.executeQuery()) {
        if (row.next()) {
          cursor = row.getLong(1) - 1;
        }
      }
      resetNanos = System.nanoTime();
    }

    /** Binds {@link #LIMIT} ids; where there are fewer, the last one again. */
    private static void bindIds(PreparedStatement statement, List<Claimed> claimed)
        throws SQLException {
      for (int i = 0; i < LIMIT; i++) {
        statement.setLong(1 + i, claimed.get(Math.min(i, claimed.size() - 1)).id());
      }
    }

    @Override
    public void close() throws SQLException {
      connection.close();
    }
  }
}
