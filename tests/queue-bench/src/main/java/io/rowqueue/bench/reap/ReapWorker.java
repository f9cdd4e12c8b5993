package io.rowqueue.bench.reap;

import com.google.inject.Module;
import io.rowqueue.bench.Bindings;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.handle.Delivery;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.tests.process.Child;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * A worker's process of {@link Reap}: the victim, which may hold no more claims than are lost, and
 * whose handlers do not come back, or the peer, with the defaults, whose handlers write down when
 * they began.
 */
final class ReapWorker {

  static final String TOPIC = "reap";

  /** Of the victim, when it is lost. */
  static final int CLAIMS = 500;

  /** Numbers below are handled at once, so that the victim learns to claim many at a time. */
  static final int SLOW_FROM = 1_000_000;

  private static final String INSERT = "INSERT INTO reaped (message_id, nanos) VALUES (?, ?)";

  private final CountDownLatch never = new CountDownLatch(1);

  private ReapWorker() {}

  /** With the queue's URL and the role. */
  public static void main(String[] arguments) throws IOException {
    new ReapWorker().run(arguments[0], arguments[1].equals("victim"));
    System.exit(0);
  }

  private void run(String url, boolean victim) throws IOException {
    WorkerConfig config = WorkerConfig.defaults(new DatabaseConfig(url, "", ""));
    Worker worker = victim ? victim(config) : peer(config);
    Child.ready("ready");
    Child.awaitEnd();
    worker.close();
  }

  /** In one batch, so that all its claims have started, and none is handed back unstarted. */
  private Worker victim(WorkerConfig config) {
    Module binding =
        LambdaHandlers.bindBatch(
            TOPIC, Numbered.class, this::stick, HandlerSettings.defaults().withBatchSize(CLAIMS));
    return Bindings.start(config.withMaxClaimed(CLAIMS), List.of(binding));
  }

  private static Worker peer(WorkerConfig config) {
    Module binding = Bindings.bind(TOPIC, ReapWorker::note, HandlerSettings.defaults());
    return Bindings.start(config, List.of(binding));
  }

  private void stick(List<Delivery<Numbered>> batch) throws InterruptedException {
    if (batch.stream().anyMatch(delivery -> delivery.payload().number() >= SLOW_FROM)) {
      never.await();
    }
  }

  private static void note(Numbered message, HandlerContext context) throws SQLException {
    long nanos = System.nanoTime();
    try (PreparedStatement insert = context.connection().prepareStatement(INSERT)) {
      insert.setLong(1, context.id().value());
      insert.setLong(2, nanos);
      insert.executeUpdate();
    }
  }
}
