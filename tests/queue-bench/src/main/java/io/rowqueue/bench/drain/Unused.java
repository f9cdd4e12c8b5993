package io.rowqueue.bench.drain;

import com.google.inject.Module;
import io.rowqueue.bench.Bindings;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.contest.Prepared;
import io.rowqueue.bench.contest.Standing;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.database.Transactions;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.order.AfterDeadLetter;
import io.rowqueue.schedule.Schedule;
import io.rowqueue.schedule.ScheduleBinder;
import io.rowqueue.subscribe.SubscriptionBinder;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.wrap.Deflate;
import io.rowqueue.wrap.WrapperBinder;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** A drain whose topic uses no feature, in a worker whose other topics use none, or all of them. */
public final class Unused implements Workload {

  private static final int SINGLE = 20_000;
  private static final int GROUPED = 60_000;
  private static final String KEPT = "kept-results";
  private static final String LIMITED = "limited";
  private static final Duration LONG = Duration.ofHours(1);

  @Override
  public String name() {
    return "features";
  }

  @Override
  public String what() {
    return "messages handled a second that use no feature, while other topics use them";
  }

  @Override
  public void run(Stage stage) throws Exception {
    HandlerSettings alone = HandlerSettings.defaults();
    measure(stage, "a COMMIT each", alone, SINGLE);
    measure(stage, "shared commits", alone.withSharedCommit(), SINGLE);
    measure(stage, "grouped acks", alone.withoutTransaction(), GROUPED);
  }

  private static void measure(Stage stage, String how, HandlerSettings settings, int messages)
      throws Exception {
    QueueDatabase database = stage.database();
    Contender without =
        prepared(database, drainer("others use nothing", database, settings, plain()), () -> {});
    Contender with =
        prepared(
            database,
            drainer("others use everything", database, settings, featured()),
            () -> configure(database));
    Standing end =
        new Contest(stage, "features", "unused features, " + how, stage.scaled(messages, 200))
            .show(without, List.of(without, with));
    stage
        .report()
        .bar(
            Bar.atLeast(
                "unused features, " + how + ": rate to that without",
                end.ratio(with, without, Effort::perSecond),
                0.97));
  }

  private static Contender drainer(
      String name, QueueDatabase database, HandlerSettings settings, Stream<Module> others) {
    return RowQueueDrainer.doing(name, new QueueTable(database), settings, (work, context) -> {})
        .beside(others.toList());
  }

  private static Contender prepared(QueueDatabase database, Contender drainer, Runnable before) {
    return new Prepared(
        drainer,
        messages -> {
          database.clean();
          before.run();
        },
        messages -> database.clean());
  }

  private static Stream<Module> plain() {
    return Stream.of(
        result(HandlerSettings.defaults()),
        Bindings.bind(LIMITED, (message, context) -> {}, HandlerSettings.defaults()));
  }

  private static Stream<Module> featured() {
    return Stream.of(
        result(HandlerSettings.defaults().withResults(LONG)),
        Bindings.bind(
            LIMITED,
            (message, context) -> {},
            HandlerSettings.defaults()
                .withLongestTimeout(LONG)
                .withFormerTopics("once-limited")
                .withRequiredWrappers("deflate")),
        binder -> {
          SubscriptionBinder.bind(binder, "source", LIMITED);
          ScheduleBinder.bind(
              binder,
              Schedule.every("hourly", LONG).enqueues(NewMessage.of(LIMITED, new Numbered(1))));
          WrapperBinder.allow(binder, Deflate.reader());
        });
  }

  private static Module result(HandlerSettings settings) {
    return LambdaHandlers.bindResult(
        KEPT, Numbered.class, (message, context) -> message.number(), settings);
  }

  private static void configure(QueueDatabase database) {
    Topics topics = Topics.of(Transactions.on(database.dataSource()));
    Topic limited = new Topic(LIMITED);
    topics.limitInFlight(limited, 3);
    topics.limitPerSecond(limited, 100);
    topics.limitDepth(limited, 1_000);
    topics.limitAge(limited, LONG);
    topics.keep(limited, 7);
    topics.afterDeadLetter(limited, AfterDeadLetter.SET_ASIDE);
  }
}
