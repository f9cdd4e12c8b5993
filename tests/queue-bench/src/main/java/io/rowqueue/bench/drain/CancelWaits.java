package io.rowqueue.bench.drain;

import io.rowqueue.bench.Bindings;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.CancelMessage;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.operate.Messages;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** Handlers that run until somebody wants them to stop, and look all the time. */
final class CancelWaits {

  private static final String TOPIC = "endless";
  private static final Duration LONGEST = Duration.ofMinutes(1);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

  /**
   * A group begins when the one before has seen its wishes, just behind a look: so that wishes come
   * at any time between two looks, the first waits for longer than from one to the next.
   */
  private static final long BEFORE_NANOS = TimeUnit.MILLISECONDS.toNanos(2_400);

  private final Map<MessageId, Boolean> begun = new ConcurrentHashMap<>();
  private final Map<MessageId, Long> seen = new ConcurrentHashMap<>();

  private CancelWaits() {}

  /** From the COMMIT of each of so many wishes to the handler that sees it, in ms. */
  static Figures measure(QueueDatabase database, int wishes) {
    CancelWaits scene = new CancelWaits();
    Messages messages = Messages.of(Transactions.on(database.dataSource()));
    List<Double> millis = new ArrayList<>();
    try (Worker worker =
        Bindings.start(
            database.url(),
            List.of(Bindings.bind(TOPIC, scene::handle, HandlerSettings.defaults())))) {
      while (millis.size() < wishes) {
        scene.group(database, messages, millis);
      }
    }
    return Figures.of(millis);
  }

  private void handle(Numbered message, HandlerContext context) throws CancelMessage {
    begun.put(context.id(), true);
    while (!context.isCancelAsked() && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(LOOK_NANOS);
    }
    seen.put(context.id(), System.nanoTime());
    throw new CancelMessage("as was asked");
  }

  /** As many at once as run on the threads of a worker with the defaults. */
  private void group(QueueDatabase database, Messages messages, List<Double> millis) {
    List<MessageId> ids =
        MessageProducer.create()
            .enqueueAll(
                database.dataSource(),
                IntStream.range(0, 8)
                    .mapToObj(number -> NewMessage.of(TOPIC, new Numbered(number)))
                    .toList());
    Await.that("all run", LONGEST, () -> begun.keySet().containsAll(ids));
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(BEFORE_NANOS));
    Map<MessageId, Long> asked = new HashMap<>();
    for (MessageId id : ids) {
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(BETWEEN_NANOS));
      messages.askCancel(id, "bench");
      asked.put(id, System.nanoTime());
    }
    Await.that("all have seen it", LONGEST, () -> seen.keySet().containsAll(ids));
    asked.forEach((id, at) -> millis.add((seen.getOrDefault(id, at) - at) / 1e6));
  }
}
