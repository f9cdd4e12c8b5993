package io.rowqueue.bench.drain;

import io.rowqueue.bench.contest.Bare;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Threads;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The floor: one transaction for each message, of ids that are known, by primary key. Nobody who
 * commits each message by itself can do less.
 */
final class DeleteFloor extends QueueDrainer {

  private static final String DELETE = "DELETE FROM queue_message WHERE id = ?";

  private final int threads;
  private final Effect effect;

  DeleteFloor(QueueDatabase database, int threads, Effect effect) {
    super("floor: DELETE by id, COMMIT", database);
    this.threads = threads;
    this.effect = effect;
    effect.prepare(database);
  }

  @Override
  public void drain(Progress progress) throws Exception {
    List<Long> ids = table.ids();
    AtomicInteger next = new AtomicInteger();
    Threads.run(
        threads,
        () -> {
          deleteAll(ids, next, progress);
          return true;
        });
    progress.finish();
  }

  private void deleteAll(List<Long> ids, AtomicInteger next, Progress progress)
      throws SQLException {
    try (Connection connection = Bare.connect(database);
        PreparedStatement delete = connection.prepareStatement(DELETE)) {
      for (int i = next.getAndIncrement(); i < ids.size(); i = next.getAndIncrement()) {
        effect.happen(connection, i);
        delete.setLong(1, ids.get(i));
        delete.executeUpdate();
        connection.commit();
        progress.done();
      }
    }
  }
}
