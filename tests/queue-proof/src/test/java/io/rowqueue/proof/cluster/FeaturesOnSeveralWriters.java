package io.rowqueue.proof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.Deduplication;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Results;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Schedules;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.proof.cluster.Cluster.Kind;
import io.rowqueue.proof.cluster.FeaturesOnSeveralWriters.Publishers.Phase;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.tests.Overlap;
import io.rowqueue.tests.TestWorker;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: what holds for all workers together also holds where each writes on a node of its own,
 * whose locks say nothing to the others. Method: a producer and a worker on each node, all in this
 * JVM, so that handlers can count each other.
 */
abstract class FeaturesOnSeveralWriters extends OnCluster {
  private static final Topic TOPIC = new Topic("feature");
  private static final Duration LONG = Duration.ofMinutes(3);
  private static final String LEFT = "SELECT COUNT(*) FROM queue_message";

  private static final int ROUNDS = 60;

  private final MessageProducer producer = MessageProducer.create();

  FeaturesOnSeveralWriters(Kind kind) {
    super(kind);
  }

  @BeforeEach
  void createTable() {
    database()
        .execute(
            "CREATE TABLE turn (name VARCHAR(32) NOT NULL, number INT NOT NULL, PRIMARY KEY"
                + " (name, number))");
  }

  /** Of an application on {@code node}, whose connections are as the driver gives them. */
  private DataSource on(int node) {
    return new FreshConnections(() -> DriverManager.getConnection(urlOf(node)));
  }

  private void startOnEachNode(Module... handlers) {
    for (int node = 1; node <= Cluster.NODES; node++) {
      closing(TestWorker.startAt(urlOf(node), config -> config, handlers));
    }
  }

  private static Module handler(MessageHandler<Integer> handler) {
    return LambdaHandlers.bind(TOPIC.name(), Integer.class, handler);
  }

  private static NewMessage message(int number) {
    return NewMessage.of(TOPIC, number);
  }

  /** A second time is refused by the primary key. */
  private static void write(String name, int number, HandlerContext context) {
    context.transaction().execute("INSERT INTO turn VALUES (?, ?)", name, number);
  }

  private void awaitNoneLeft() {
    Await.until("an empty queue", LONG, () -> database().count(LEFT), left -> left == 0);
  }

  /** A node may be behind, and look empty while another has a message for it. */
  private void awaitTurns(long all) {
    Await.until("all turns", LONG, this::turns, now -> now >= all);
    awaitNoneLeft();
    assertThat(turns()).isEqualTo(all);
  }

  private long turns() {
    return database().count("SELECT COUNT(*) FROM turn");
  }

  private <T> List<T> onEachNode(IntFunction<Callable<T>> work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(Cluster.NODES);
    try {
      List<Callable<T>> all = IntStream.rangeClosed(1, Cluster.NODES).mapToObj(work).toList();
      List<T> results = new ArrayList<>();
      for (Future<T> one : threads.invokeAll(all, LONG.toSeconds(), TimeUnit.SECONDS)) {
        results.add(one.get());
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }

  private void awaitOnEachNode(String count, long expected) {
    for (int node = 1; node <= Cluster.NODES; node++) {
      try (TestWorker there = TestWorker.createAt(urlOf(node), config -> config)) {
        Await.until(
            "it is on node " + node,
            LONG,
            () ->
                there
                    .get(Transactions.class)
                    .read(dsl -> dsl.fetchSingle(count).get(0, Long.class)),
            now -> now == expected);
      }
    }
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
    Subscriptions subscriptions = QueueOperations.of(database().dataSource()).subscriptions();
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

  /**
   * Until it is on a node, that node's publications may do without it (docs/internals/decisions).
   */
  @Test
  void subscriptionChanged_whileAllNodesPublish_countsOnEachOnceItIsThere() throws Exception {
    Subscriptions subscriptions = QueueOperations.of(database().dataSource()).subscriptions();
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
    QueueOperations.of(database().dataSource())
        .topics()
        .change(TOPIC, set -> set.withKeyInFlight(2));
    awaitOnEachNode("SELECT COUNT(*) FROM queue_topic WHERE key_max_in_flight = 2", 1);
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
    assertThat(database().count("SELECT COUNT(*) FROM queue_ordering_member WHERE running = 1"))
        .isZero();
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
    assertThat(batches.close(on(2), batch)).isTrue();
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
  void payloadsOutsideTheirRows_areReadOnOtherNodes_andGo() throws Exception {
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
        () -> database().count("SELECT COUNT(*) FROM queue_payload_chunk"),
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
    Schedules schedules = QueueOperations.of(on(1)).schedules();
    schedules.set(Schedule.every("tick", Duration.ofSeconds(1)).enqueues(message(1)));
    Await.until("eight firings", LONG, times::size, count -> count >= 8);
    assertThat(schedules.pause("tick")).isTrue();
    awaitNoneLeft();
    assertThat(times).doesNotHaveDuplicates().doesNotContain("no time");
  }

  /** Publishers without rest, one for each node, that note in which phase each publication was. */
  static final class Publishers implements AutoCloseable {

    private final List<AtomicInteger> counts = new ArrayList<>();
    private final List<Future<?>> ends = new ArrayList<>();
    private final Queue<Made> made = new ConcurrentLinkedQueue<>();
    private final ExecutorService threads;
    private volatile Step step = new Step(Phase.BEFORE);
    private volatile boolean stopped;

    private Publishers(int nodes) {
      this.threads = Executors.newFixedThreadPool(nodes);
    }

    /** What is known of a subscription. */
    enum Phase {
      BEFORE,
      CHANGING,
      SUBSCRIBED,
      UNSUBSCRIBED
    }

    /** A stay in a phase, which may come twice. */
    private static final class Step {
      private final Phase phase;

      Step(Phase phase) {
        this.phase = phase;
      }
    }

    /** A publication. */
    record Made(@Nullable Phase within, Set<String> topics) {}

    /** Starts so many, each doing over and over what {@code publisher} says for its node. */
    static Publishers start(int nodes, IntFunction<Callable<Set<String>>> publisher) {
      Publishers publishers = new Publishers(nodes);
      for (int node = 1; node <= nodes; node++) {
        AtomicInteger count = new AtomicInteger();
        Callable<Set<String>> one = publisher.apply(node);
        publishers.counts.add(count);
        publishers.ends.add(publishers.threads.submit(() -> publishers.publish(one, count)));
      }
      return publishers;
    }

    private @Nullable Object publish(Callable<Set<String>> one, AtomicInteger count)
        throws Exception {
      while (!stopped) {
        Step before = step;
        Set<String> topics = one.call();
        made.add(new Made(before == step ? before.phase : null, topics));
        count.incrementAndGet();
      }
      return null;
    }

    void enter(Phase phase) {
      step = new Step(phase);
    }

    /** Until each of them has ended {@code more} publications since this call. */
    void awaitMoreOfEach(int more) {
      List<Integer> targets = counts.stream().map(count -> count.get() + more).toList();
      Await.until(
          more + " more publications on each node",
          LONG,
          () -> {
            failIfOneHas();
            return counts.stream().map(AtomicInteger::get).toList();
          },
          now -> {
            for (int i = 0; i < targets.size(); i++) {
              if (now.get(i) < targets.get(i)) {
                return false;
              }
            }
            return true;
          });
    }

    /** One that has failed makes no more, and says why. */
    private void failIfOneHas() throws Exception {
      for (Future<?> end : ends) {
        if (end.isDone()) {
          end.get();
        }
      }
    }

    List<Made> stop() throws Exception {
      stopped = true;
      for (Future<?> end : ends) {
        end.get();
      }
      return List.copyOf(made);
    }

    @Override
    public void close() {
      stopped = true;
      threads.shutdownNow();
    }
  }
}
