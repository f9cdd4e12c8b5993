package io.rowqueue.bench.drain;

import io.rowqueue.bench.contest.Bare;
import io.rowqueue.bench.drain.BareClaims.Claimed;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Threads;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** The grouped floor: one thread claims 500 at a time, and another deletes 500 at a time. */
final class GroupedFloor extends QueueDrainer {

  private static final String DELETE =
      "DELETE m FROM queue_message m FORCE INDEX (PRIMARY) WHERE m.id IN ("
          + String.join(",", Collections.nCopies(BareClaims.LIMIT, "?"))
          + ") AND m.lock_id = '"
          + BareClaims.LOCK_ID
          + "' AND m.claims = 1";
  private static final int AHEAD = 2;

  GroupedFloor(QueueDatabase database) {
    super("grouped floor: 500 claimed, 500 deleted", database);
  }

  @Override
  public void drain(Progress progress) throws Exception {
    BlockingQueue<List<Claimed>> claimed = new ArrayBlockingQueue<>(AHEAD);
    Threads.run(
        List.of(
            () -> {
              claimAll(claimed);
              return true;
            },
            () -> {
              ackAll(claimed, progress);
              return true;
            }));
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
        BareClaims.bindIds(delete, some, 1);
        if (delete.executeUpdate() != some.size()) {
          throw new IllegalStateException("a claim was lost");
        }
        connection.commit();
        progress.done(some.size());
      }
    }
  }
}
