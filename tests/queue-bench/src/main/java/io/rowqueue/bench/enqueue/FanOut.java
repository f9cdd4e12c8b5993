package io.rowqueue.bench.enqueue;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.enqueue.Commits.Way;
import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.subscribe.Subscriptions;
import io.rowqueue.wakeup.Ring;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/** Publications to one, three and ten topics, each beside as many enqueues in as many commits. */
public final class FanOut implements Workload {

  private static final int PRODUCERS = 16;
  private static final int SINGLE = 10_000;
  private static final int IN_BULK = 30_000;

  /** Copies in a transaction; each number of topics divides it. */
  private static final int BULK = 990;

  private static final NewMessage MESSAGE = Payloads.of(200).message();

  private final MessageProducer producer = MessageProducer.create().ringing(Ring.SILENT);

  @Override
  public String name() {
    return "fanout";
  }

  @Override
  public String what() {
    return "messages a second that are published to 1, 3 and 10 topics";
  }

  @Override
  public void run(Stage stage) throws Exception {
    for (int topics : new int[] {1, 3, 10}) {
      Fan fan = Fan.subscribed(stage, topics);
      measure(stage, fan, SINGLE, new Way(stage.database(), PRODUCERS, topics));
      measure(stage, fan, IN_BULK, new Way(stage.database(), 1, BULK));
    }
  }

  private void measure(Stage stage, Fan fan, int messages, Way way) throws Exception {
    String how = way.threads() == 1 ? "990 copies a call" : "16 publishers";
    String title = "copies to %d, %s".formatted(fan.topics.size(), how);
    int publications = way.each() / fan.topics.size();
    Contender enqueue = Commits.of("enqueued", way, producer, number -> fan.toOne(number));
    Contender publish =
        Commits.of(
            "published",
            way,
            (pool, number) ->
                producer.publishAll(pool, Collections.nCopies(publications, fan.published)));
    new Contest(stage, "fanout", title, stage.messages(messages))
        .show(enqueue, List.of(enqueue, publish));
  }

  /**
   * A source and those that are subscribed to it.
   *
   * @param published what reaches all of them
   */
  private record Fan(NewMessage published, List<Topic> topics) {

    static Fan subscribed(Stage stage, int topics) {
      String source = "source-" + topics;
      Subscriptions subscriptions =
          Subscriptions.of(Transactions.on(stage.database().dataSource()));
      IntStream.range(0, topics)
          .forEach(number -> subscriptions.subscribe(source, source + "-" + number));
      return new Fan(MESSAGE.withTopic(new Topic(source)), subscriptions.topics(source));
    }

    NewMessage toOne(int number) {
      return published.withTopic(topics.get(number % topics.size()));
    }
  }
}
