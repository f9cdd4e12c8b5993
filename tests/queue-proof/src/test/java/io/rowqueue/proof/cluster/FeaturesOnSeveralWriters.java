package io.rowqueue.proof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.batch.MessageBatch;
import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.BatchProducer;
import io.rowqueue.enqueue.ChainProducer;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.BatchSettings;
import io.rowqueue.message.Chain;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.proof.cluster.Cluster.Kind;
import io.rowqueue.proof.cluster.Publishers.Phase;
import io.rowqueue.result.Results;
import io.rowqueue.schedule.Schedule;
import io.rowqueue.schedule.Schedules;
import io.rowqueue.subscribe.Subscriptions;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.tests.Overlap;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * Goal: what holds for all workers together also holds where each writes on a node of its own,
 * whose locks say nothing to the others. Method: a producer and a worker on each node, all in this
 * JVM, so that handlers can count each other.
 */
abstract class FeaturesOnSeveralWriters extends OnEachNode {

  private static final int ROUNDS = 60;

  private final MessageProducer producer = MessageProducer.create();

  FeaturesOnSeveralWriters(Kind kind) {
    super(kind);
  }

  @Test
  void producersOnAllNodes_ofOneDeduplicationKey_makeOneMessage() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      NewMessage once = message(round).withDeduplication(Deduplication.whileAlive("key-" + round));
      List<MessageId> ids = onEachNode(node -> () -> producer.enqueue(on(node), once));
      assertThat(ids).as("round " + round).containsOnly(ids.get(0));
    }
    assertThat(database().count(LEFT)).isEqualTo(ROUNDS);
  }

  @Test
  void publishersOnAllNodes_makeEachCopyOnce() throws Exception {
    Subscriptions subscriptions = Subscriptions.of(Transactions.on(database().dataSource()));
    subscriptions.subscribe("news", "mail");
    subscriptions.subscribe("news", "letter");
    awaitOnEachNode("SELECT COUNT(*) FROM queue_subscription", 2);
    onEachNode(
        node ->
            () -> {
              for (int i = 0; i < ROUNDS; i++) {
                producer.publish(on(node), NewMessage.of("news", node * ROUNDS + i));
              }
              return true;
            });
    for (String topic : List.of("mail", "letter")) {
      assertThat(
              database()
                  .strings(
                      "SELECT CONCAT(COUNT(*), ' ', COUNT(DISTINCT payload)) FROM queue_message"
                          + " WHERE topic = '"
                          + topic
                          + "'"))
          .containsExactly("%1$d %1$d".formatted(ROUNDS * Cluster.NODES));
    }
  }

  /** Until it is on a node, that node's publications may do without it (docs/decisions/fan-out). */
  @Test
  void subscriptionChanged_whileAllNodesPublish_countsOnEachOnceItIsThere() throws Exception {
    Subscriptions subscriptions = Subscriptions.of(Transactions.on(database().dataSource()));
    subscriptions.subscribe("news", "mail");
    awaitOnEachNode("SELECT COUNT(*) FROM queue_subscription", 1);
    try (Publishers publishers =
        Publishers.start(Cluster.NODES, node -> () -> copies(producer, on(node)))) {
      publishers.awaitMoreOfEach(ROUNDS / 6);
      publishers.enter(Phase.CHANGING);
      subscriptions.subscribe("news", "late");
      awaitOnEachNode("SELECT COUNT(*) FROM queue_subscription", 2);
      publishers.enter(Phase.SUBSCRIBED);
      publishers.awaitMoreOfEach(ROUNDS / 6);
      publishers.enter(Phase.CHANGING);
      subscriptions.unsubscribe("news", "late");
      awaitOnEachNode("SELECT COUNT(*) FROM queue_subscription", 1);
      publishers.enter(Phase.UNSUBSCRIBED);
      publishers.awaitMoreOfEach(ROUNDS / 6);
      List<Publishers.Made> all = publishers.stop();
      assertThat(all).allSatisfy(made -> assertThat(made.topics()).contains("mail"));
      assertThat(all)
          .filteredOn(made -> made.within() == Phase.SUBSCRIBED)
          .hasSizeGreaterThanOrEqualTo(Cluster.NODES * ROUNDS / 6 - Cluster.NODES)
          .allSatisfy(made -> assertThat(made.topics()).contains("late"));
      assertThat(all)
          .filteredOn(made -> made.within() == Phase.UNSUBSCRIBED)
          .isNotEmpty()
          .allSatisfy(made -> assertThat(made.topics()).doesNotContain("late"));
      long copies = all.stream().mapToLong(made -> made.topics().size()).sum();
      Await.until("every copy", LONG, () -> database().count(LEFT), found -> found == copies);
    }
  }

  private static Set<String> copies(MessageProducer producer, DataSource node) {
    return producer.publish(node, NewMessage.of("news", "new")).copies().keySet().stream()
        .map(Topic::name)
        .collect(Collectors.toSet());
  }

  @Test
  void linesOfAllNodes_runInTheirOrder_oneAtATime() throws Exception {
    Map<String, Queue<Integer>> begun = new ConcurrentHashMap<>();
    Map<String, Overlap> overlaps = new ConcurrentHashMap<>();
    startOnEachNode(
        handler(
            (number, context) -> {
              String key = String.valueOf(context.orderingKey());
              begun.computeIfAbsent(key, name -> new ConcurrentLinkedQueue<>()).add(number);
              overlaps
                  .computeIfAbsent(key, name -> new Overlap())
                  .handle(Duration.ofMillis(number % 5));
              write(key, number, context);
            }));
    onEachNode(
        node ->
            () -> {
              for (int number = 0; number < ROUNDS; number++) {
                for (String key : List.of("a", "b", "c")) {
                  producer.enqueue(on(node), message(number).withOrderingKey(key + node));
                }
              }
              return true;
            });
    awaitTurns(3L * ROUNDS * Cluster.NODES);
    assertThat(begun).hasSize(3 * Cluster.NODES);
    overlaps.forEach((key, overlap) -> assertThat(overlap.most()).as(key).isOne());
    // One that a conflict undid begins again, and nothing behind it has begun before.
    begun.forEach((key, numbers) -> assertThat(List.copyOf(numbers)).as(key).isSorted());
  }

  @Test
  void oneLineOfAllNodes_runsInTheOrderOfItsCommits() {
    Queue<Integer> begun = new ConcurrentLinkedQueue<>();
    Overlap overlap = new Overlap();
    startOnEachNode(
        handler(
            (number, context) -> {
              begun.add(number);
              overlap.handle(Duration.ofMillis(number % 3));
              write("line", number, context);
            }));
    int all = ROUNDS * Cluster.NODES;
    for (int number = 0; number < all; number++) {
      // Its node may not have the one before yet: then the key's row conflicts, and it comes again.
      producer.enqueue(on(1 + number % Cluster.NODES), message(number).withOrderingKey("one"));
    }
    awaitTurns(all);
    assertThat(overlap.most()).isOne();
    assertThat(List.copyOf(begun)).isSorted();
  }

  @Test
  void oneLine_fedByAllNodesAtOnce_keepsEachProducersOrder() throws Exception {
    Map<Integer, Queue<Integer>> begun = new ConcurrentHashMap<>();
    Overlap overlap = new Overlap();
    startOnEachNode(
        handler(
            (number, context) -> {
              begun
                  .computeIfAbsent(number / ROUNDS, node -> new ConcurrentLinkedQueue<>())
                  .add(number);
              overlap.handle(Duration.ofMillis(number % 3));
              write("line", number, context);
            }));
    onEachNode(
        node ->
            () -> {
              for (int i = 0; i < ROUNDS; i++) {
                producer.enqueue(on(node), message(ROUNDS * node + i).withOrderingKey("one"));
              }
              return true;
            });
    awaitTurns((long) ROUNDS * Cluster.NODES);
    assertThat(overlap.most()).isOne();
    assertThat(begun).hasSize(Cluster.NODES);
    begun.forEach(
        (node, numbers) -> assertThat(List.copyOf(numbers)).as("node " + node).isSorted());
  }

  @Test
  void chainsOfAllNodes_takeEachStepOnce_inTheirOrder() throws Exception {
    ChainProducer chains = ChainProducer.over(producer);
    Map<String, Queue<Integer>> taken = new ConcurrentHashMap<>();
    startOnEachNode(
        LambdaHandlers.bind(
            TOPIC.name(),
            String.class,
            (step, context) -> {
              String[] words = step.split(" ", 2);
              write(words[0], Integer.parseInt(words[1]), context);
              taken
                  .computeIfAbsent(words[0], chain -> new ConcurrentLinkedQueue<>())
                  .add(Integer.parseInt(words[1]));
            }));
    onEachNode(
        node ->
            () -> {
              for (int i = 0; i < ROUNDS / 3; i++) {
                String name = "chain-" + node + "-" + i;
                chains.enqueue(
                    on(node), Chain.of(step(name, 1)).then(step(name, 2)).then(step(name, 3)));
              }
              return true;
            });
    awaitTurns((long) ROUNDS * Cluster.NODES);
    // One that a conflict undid is taken again.
    taken.forEach((chain, steps) -> assertThat(List.copyOf(steps)).as(chain).isSorted());
  }

  private static NewMessage step(String chain, int number) {
    return NewMessage.of(TOPIC, chain + " " + number);
  }

  @Test
  void keysWithALimit_neverHaveMoreAtOnce() throws Exception {
    Map<String, Overlap> overlaps = new ConcurrentHashMap<>();
    Topics.of(Transactions.on(database().dataSource())).limitKeyInFlight(TOPIC, 2);
    awaitOnEachNode("SELECT COUNT(*) FROM queue_topic WHERE key_in_flight = 2", 1);
    startOnEachNode(
        handler(
            (number, context) -> {
              String key = String.valueOf(context.orderingKey());
              overlaps.computeIfAbsent(key, name -> new Overlap()).handle(Duration.ofMillis(10));
              write(key, number, context);
            }));
    onEachNode(
        node ->
            () ->
                producer.enqueueAll(
                    on(node),
                    IntStream.range(0, 4 * ROUNDS)
                        .mapToObj(i -> message(4 * ROUNDS * node + i).withLimitKey("key-" + i % 4))
                        .toList()));
    awaitTurns(4L * ROUNDS * Cluster.NODES);
    assertThat(overlaps).hasSize(4);
    overlaps.forEach((key, overlap) -> assertThat(overlap.most()).as(key).isEqualTo(2));
    assertThat(database().count("SELECT COUNT(*) FROM queue_order_running")).isZero();
  }

  @Test
  void batchOfAllNodes_completesOnce_withTheCountsOfAll() throws Exception {
    Queue<String> counts = new ConcurrentLinkedQueue<>();
    BatchProducer batches = BatchProducer.over(producer);
    MessageBatch batch =
        batches.open(on(1), BatchSettings.defaults().completingWith(NewMessage.of("done", "all")));
    awaitOnEachNode("SELECT COUNT(*) FROM queue_batch", 1);
    startOnEachNode(
        handler((number, context) -> write("member", number, context)),
        LambdaHandlers.bind(
            "done",
            String.class,
            (payload, context) ->
                counts.add(context.headers().getOrDefault(BatchSettings.COUNTS_HEADER, "none"))));
    onEachNode(
        node ->
            () -> {
              for (int i = 0; i < ROUNDS; i++) {
                batches.add(
                    on(node),
                    batch,
                    List.of(
                        message(2 * (ROUNDS * node + i)), message(2 * (ROUNDS * node + i) + 1)));
              }
              return true;
            });
    assertThat(batches.seal(on(2), batch)).isTrue();
    Await.until("the completion", LONG, () -> List.copyOf(counts), found -> !found.isEmpty());
    int all = 2 * ROUNDS * Cluster.NODES;
    assertThat(counts).containsExactly("total=%1$d done=%1$d failed=0 cancelled=0".formatted(all));
    awaitTurns(all);
  }

  @Test
  void resultOfAnotherNode_isAwaited() throws Exception {
    startOnEachNode(
        LambdaHandlers.bindResult(
            TOPIC.name(),
            Integer.class,
            (number, context) -> 2 * number,
            HandlerSettings.defaults().withResults(Duration.ofHours(1))));
    try (Results results = Results.over(on(2))) {
      for (int number = 1; number <= 10; number++) {
        assertThat(results.enqueueAndAwait(producer, message(number), Integer.class, LONG))
            .isEqualTo(2 * number);
      }
    }
  }

  @Test
  void payloadsBesideTheirRows_areReadOnOtherNodes_andGo() throws Exception {
    Queue<Integer> read = new ConcurrentLinkedQueue<>();
    startOnEachNode(
        LambdaHandlers.bind(
            TOPIC.name(), byte[].class, (bytes, context) -> read.add(Arrays.hashCode(bytes))));
    onEachNode(
        node ->
            () -> {
              for (int i = 0; i < 5; i++) {
                producer.enqueue(on(node), NewMessage.of(TOPIC, bytes(5 * node + i)));
              }
              return true;
            });
    awaitNoneLeft();
    assertThat(read)
        .containsOnlyOnceElementsOf(
            IntStream.range(5, 5 * (Cluster.NODES + 1))
                .mapToObj(seed -> Arrays.hashCode(bytes(seed)))
                .toList());
    Await.until(
        "bodies are swept",
        LONG,
        () -> database().count("SELECT COUNT(*) FROM queue_body"),
        left -> left == 0);
  }

  /** A megabyte: four chunks, of which each holds the number. */
  private static byte[] bytes(int number) {
    byte[] bytes = new byte[1 << 20];
    Arrays.fill(bytes, (byte) number);
    return bytes;
  }

  @Test
  void scheduleSeenByAllNodes_firesOnceEachTime() {
    Queue<String> times = new ConcurrentLinkedQueue<>();
    startOnEachNode(
        handler(
            (number, context) ->
                times.add(context.headers().getOrDefault(Schedule.TIME_HEADER, "no time"))));
    Schedules schedules = Schedules.of(Transactions.on(on(1)));
    schedules.set(Schedule.every("tick", Duration.ofSeconds(1)).enqueues(message(1)));
    Await.until("eight firings", LONG, times::size, count -> count >= 8);
    assertThat(schedules.pause("tick")).isTrue();
    awaitNoneLeft();
    assertThat(times).doesNotHaveDuplicates().doesNotContain("no time");
  }
}
