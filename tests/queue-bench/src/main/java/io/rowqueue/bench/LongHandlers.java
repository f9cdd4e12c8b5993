package io.rowqueue.bench;

import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contest;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Report.Bar;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
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

/** What handlers pay that report, look and extend, and how soon a wish reaches one. */
final class LongHandlers implements Workload {

  private static final int MESSAGES = 20_000;
  private static final int TIMES = 10;
  private static final int WISHES = 96;
  private static final Duration EXTENSION = Duration.ofMinutes(1);

  @Override
  public String name() {
    return "longhandlers";
  }

  @Override
  public String what() {
    return "messages handled a second with reports, looks and extensions; ms until a wish is seen";
  }

  @Override
  public void run(Stage stage) throws Exception {
    Contender plain = drainer(stage, "plain", context -> {});
    List<Contender> contenders =
        List.of(
            plain,
            drainer(stage, "reporting", context -> context.progress(1, TIMES, "on the way")),
            drainer(stage, "looking for a wish", LongHandlers::look),
            drainer(stage, "extending", context -> context.extendTimeout(EXTENSION)));
    new Contest(stage, "longhandlers", "handlers, each ten times", stage.scaled(MESSAGES, 200))
        .show(plain, contenders);
    wishes(stage);
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

  private static void look(HandlerContext context) {
    if (context.isCancelAsked()) {
      throw new IllegalStateException("nobody has asked");
    }
  }

  private static void wishes(Stage stage) throws Exception {
    Figures millis = CancelWaits.measure(stage.database(), stage.scaled(WISHES, 8));
    stage
        .report()
        .table(Table.of("ms from a wish's COMMIT to the handler's look", Map.of("", millis)));
    stage.report().sample("longhandlers", Map.of("case", "wish", "millisEach", millis.sorted()));
    stage.report().bar(Bar.atMost("ms until a wish is seen, median", millis.median(), 700));
    stage.report().bar(Bar.atMost("ms until a wish is seen, longest", millis.max(), 1_200));
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
