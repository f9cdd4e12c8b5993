package io.rowqueue.bench.enqueue;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.contest.Prepared;
import io.rowqueue.bench.contest.Standing;
import io.rowqueue.bench.enqueue.Commits.Way;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.wakeup.Ring;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** What a deduplication key costs its producer, whether it is held or not. */
public final class Deduplicated implements Workload {

  private static final int ALONE = 2_000;
  private static final int IN_BULK = 20_000;
  private static final int TOGETHER = 6_000;
  private static final int BULK = 1_000;
  private static final int PRODUCERS = 16;
  private static final int FEW_KEYS = 10;

  private static final NewMessage MESSAGE = Payloads.of(200).message();

  private final MessageProducer producer = MessageProducer.create().ringing(Ring.SILENT);

  @Override
  public String name() {
    return "deduplication";
  }

  @Override
  public String what() {
    return "messages enqueued a second with keys: none held, all held, replacing";
  }

  @Override
  public void run(Stage stage) throws Exception {
    measure(stage, "a commit each, 1 producer", ALONE, new Way(stage.database(), 1, 1));
    measure(stage, "1,000 a call", IN_BULK, new Way(stage.database(), 1, BULK));
    Way together = new Way(stage.database(), PRODUCERS, 1);
    measure(stage, "a commit each, 16 producers", TOGETHER, together);
    measureFew(stage, together);
  }

  private void measure(Stage stage, String how, int messages, Way way) throws Exception {
    Contender plain = plain(way);
    show(
        stage,
        how,
        messages,
        List.of(
            plain,
            keyed("keys, none held", way, Deduplicated::each),
            held("keys, all held", way, Deduplicated::each),
            held("keys, all replacing", way, number -> each(number).replacing())));
  }

  /** Its producers wait for each other's COMMIT. */
  private void measureFew(Stage stage, Way way) throws Exception {
    show(
        stage,
        "16 producers on 10 keys",
        TOGETHER,
        List.of(
            plain(way),
            keyed("10 keys", way, Deduplicated::few),
            keyed("10 keys, replacing", way, number -> few(number).replacing())));
  }

  private static Deduplication each(int number) {
    return Deduplication.whileWaiting("key-" + number);
  }

  private static Deduplication few(int number) {
    return each(number % FEW_KEYS);
  }

  private static void show(Stage stage, String how, int messages, List<Contender> contenders)
      throws Exception {
    Standing end =
        new Contest(stage, "deduplication", "deduplication, " + how, stage.messages(messages))
            .show(contenders.get(0), contenders);
    double deadlocks =
        contenders.stream()
            .mapToDouble(each -> end.figures(each, effort -> effort.deadlocks()).max())
            .sum();
    stage.report().bar(Bar.atMost("deduplication, " + how + ": deadlocks", deadlocks, 0));
  }

  private Contender plain(Way way) {
    return Commits.of("without keys", way, producer, number -> MESSAGE);
  }

  private Contender keyed(String name, Way way, IntFunction<Deduplication> rule) {
    return new Prepared(
        Commits.of(name, way, producer, number -> MESSAGE.withDeduplication(rule.apply(number))),
        messages -> {},
        messages -> forget(way));
  }

  /** The same, where others have enqueued before under each key. */
  private Contender held(String name, Way way, IntFunction<Deduplication> rule) {
    return new Prepared(
        keyed(name, way, rule), messages -> hold(way.database(), messages), messages -> {});
  }

  private void hold(QueueDatabase database, int messages) {
    producer.enqueueAll(
        database.dataSource(),
        IntStream.range(0, messages)
            .mapToObj(number -> MESSAGE.withDeduplication(each(number)))
            .toList());
  }

  private static void forget(Way way) {
    way.database().execute("DELETE FROM queue_deduplication");
  }
}
