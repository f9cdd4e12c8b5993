package io.rowqueue.bench;

import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Stage;
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
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** What handlers pay that report, poll and extend, and how soon one sees its cancellation. */
final class LongHandlers {

  private static final int TIMES = 10;
  private static final Duration EXTENSION = Duration.ofMinutes(1);

  private LongHandlers() {}

  static void run(Stage stage) throws Exception {
    stage.contest(
        "handlers, each ten times",
        stage.scaled(20_000, 200),
        drainer(stage, "plain", context -> {}),
        drainer(stage, "reporting", context -> context.progress(1, TIMES, "on the way")),
        drainer(stage, "looking for a wish", LongHandlers::poll),
        drainer(stage, "extending", context -> context.extendTimeout(EXTENSION)));
    Figures millis = CancelWaits.measure(stage.database(), stage.scaled(96, 8));
    stage.figures(
        "ms from a wish's COMMIT to the handler's look", "millisEach", Map.of("", millis));
    stage.atMost("ms until a wish is seen, median", millis.median(), 700);
    stage.atMost("ms until a wish is seen, longest", millis.max(), 1_200);
  }

  /** All of them may take longer, so that this makes no difference. */
  private static Contender drainer(Stage stage, String name, Consumer<HandlerContext> deed) {
    return RowQueueDrainer.doing(
        name,
        new QueueTable(stage.database()),
        HandlerSettings.defaults().withLongestTimeout(EXTENSION.multipliedBy(10)),
        (work, context) -> {
          for (int i = 0; i < TIMES; i++) {
            deed.accept(context);
          }
        });
  }

  private static void poll(HandlerContext context) {
    if (context.isCancelAsked()) {
      throw new IllegalStateException("nobody has asked");
    }
  }

  /** Handlers that run until somebody wants them to stop, and look all the time. */
  static final class CancelWaits {

    private static final String TOPIC = "endless";
    private static final Duration LONGEST = Duration.ofMinutes(1);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final long BETWEEN_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    /**
     * A group begins when the one before has seen its wishes, just behind a look: so that wishes
     * come at any time between two looks, the first waits for longer than from one to the next.
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
}
