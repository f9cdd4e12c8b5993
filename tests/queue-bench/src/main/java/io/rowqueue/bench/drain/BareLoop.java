package io.rowqueue.bench.drain;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.rowqueue.bench.contest.Bare;
import io.rowqueue.bench.drain.BareClaims.Claimed;
import io.rowqueue.bench.drain.QueueTable.Work;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Threads;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;

/**
 * The same protocol in plain JDBC: one thread claims, the others each decode, delete by id, lock_id
 * and claim number, and commit. It claims by one locking read of the claim key, which is a
 * statement less than RowQueue's, and may deadlock where RowQueue does not.
 */
final class BareLoop extends QueueDrainer {

  private static final String DELETE =
      "DELETE FROM queue_message WHERE id = ? AND lock_id = ? AND claims = ?";
  private static final Claimed END = new Claimed(0, 0, new byte[0]);

  private final int threads;
  private final Effect effect;
  private final ObjectMapper json = new ObjectMapper();

  BareLoop(QueueDatabase database, int threads, Effect effect) {
    super("the same protocol in plain JDBC", database);
    this.threads = threads;
    this.effect = effect;
    effect.prepare(database);
  }

  @Override
  public void drain(Progress progress) throws Exception {
    BlockingQueue<Claimed> claimed = new ArrayBlockingQueue<>(2 * BareClaims.LIMIT);
    List<Callable<?>> works = new ArrayList<>();
    works.add(
        () -> {
          claimAll(claimed);
          return true;
        });
    for (int i = 0; i < threads; i++) {
      works.add(
          () -> {
            handleAll(claimed, progress);
            return true;
          });
    }
    Threads.run(works);
    progress.finish();
  }

  private void claimAll(BlockingQueue<Claimed> claimed) throws SQLException, InterruptedException {
    try (BareClaims claims = new BareClaims(Bare.connect(database))) {
      for (List<Claimed> some = claims.claim(); !some.isEmpty(); some = claims.claim()) {
        for (Claimed each : some) {
          claimed.put(each);
        }
      }
    }
    for (int i = 0; i < threads; i++) {
      claimed.put(END);
    }
  }

  private void handleAll(BlockingQueue<Claimed> claimed, Progress progress)
      throws SQLException, IOException, InterruptedException {
    try (Connection connection = Bare.connect(database);
        PreparedStatement delete = connection.prepareStatement(DELETE)) {
      for (Claimed each = claimed.take(); each.id() > 0; each = claimed.take()) {
        effect.happen(connection, json.readValue(each.payload(), Work.class).number());
        delete.setLong(1, each.id());
        delete.setString(2, BareClaims.LOCK_ID);
        delete.setInt(3, each.number());
        if (delete.executeUpdate() != 1) {
          throw new IllegalStateException("the claim of message " + each.id() + " was lost");
        }
        connection.commit();
        progress.done();
      }
    }
  }
}
