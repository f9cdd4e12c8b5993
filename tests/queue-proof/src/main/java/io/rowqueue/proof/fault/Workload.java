package io.rowqueue.proof.fault;

import io.rowqueue.Deduplication;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.proof.fault.plugin.Action;
import io.rowqueue.proof.fault.plugin.Action.Ending;
import io.rowqueue.proof.fault.plugin.FaultTopics;
import io.rowqueue.spi.FileBodyStore;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All clients of a run, and the producer of most messages: it enqueues as applications do, a few
 * messages in a transaction of its own work, which now and then is rolled back. What fails is not
 * repeated: the ledger knows whether it was committed.
 */
final class Workload implements AutoCloseable {

  /** Bytes; payloads from there on lie outside the database. */
  static final int STORED_FROM = 60_000;

  private static final Logger LOG = LoggerFactory.getLogger(Workload.class);
  private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

  /** A worker whose notification has failed sends none for a minute. */
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(2);

  private final Producer producer;
  private final Client operator;
  private final boolean hasOperator;
  private final Operators operators;
  private final LimitClients.Limits limits;
  private final LimitClients.HastyProducer hasty;
  private final FeatureClients.Asker asker;
  private final FeatureClients.Pauser pauser;
  private final KeyClients.Repeater lastRepeater;
  private final List<Client> clients = new ArrayList<>();
  private final Client mender;
  private boolean stopped;

  Workload(Cluster cluster, Mix mix, int perSecond, boolean hasOperator, long seed) {
    QueueDatabase database = cluster.database();
    String url = cluster.clientUrl();
    RandomGenerator seeds = Client.seeded(seed);
    KeyClients.prepare(database);
    FeatureClients.makeCounter(database);
    this.hasOperator = hasOperator;
    this.producer = new Producer(cluster, mix, perSecond, seeds.nextLong());
    this.operators = new Operators(database, seeds.nextLong());
    this.operator = new Client("operator", seeds.nextLong(), operators::interfere, 10, 100);
    this.mender = new Client("mender", seeds.nextLong(), operators::mend);
    this.limits = new LimitClients.Limits(database);
    this.hasty = new LimitClients.HastyProducer(url, database, seeds.nextLong());
    this.asker = new FeatureClients.Asker(database, url, seeds.nextLong());
    this.pauser = new FeatureClients.Pauser(database, seeds.nextLong());
    this.lastRepeater = new KeyClients.Repeater(url, OptionalLong::empty, false, seeds.nextLong());
    KeyClients.Meeting meeting = new KeyClients.Meeting();
    FeatureClients.Subscriber subscriber =
        new FeatureClients.Subscriber(database, url, seeds.nextLong());
    clients.add(new Client("subscriber", seeds.nextLong(), subscriber::change));
    clients.add(new Client("publisher", seeds.nextLong(), subscriber::publish, 20, 100));
    clients.add(
        new Client(
            "batch canceller",
            seeds.nextLong(),
            new BatchClients.Canceller(cluster, mix, seeds.nextLong())::cancelSome,
            100,
            400));
    clients.add(
        new Client("schedule pauser", seeds.nextLong(), pauser::pauseForAWhile, 500, 2_000));
    clients.add(new Client("limits", seeds.nextLong(), limits::change));
    clients.add(new Client("asker", seeds.nextLong(), asker::ask));
    clients.add(new Client("canceller", seeds.nextLong(), operators::requestCancellation));
    for (boolean inSnapshots : List.of(true, false)) {
      KeyClients.Repeater repeater =
          new KeyClients.Repeater(url, meeting::await, inSnapshots, seeds.nextLong());
      clients.add(
          new Client("repeater " + inSnapshots, seeds.nextLong(), repeater::offer, 40, 160));
    }
    clients.add(
        new Client(
            "streamer",
            seeds.nextLong(),
            new FeatureClients.Streamer(url, FileBodyStore.in(cluster.payloads()), seeds.nextLong())
                ::stream));
  }

  void start() {
    producer.start();
    hasty.start();
    clients.forEach(Client::start);
    mender.start();
    if (hasOperator) {
      operator.start();
    }
  }

  /** No client begins anything, once it returns, but dead letters are redriven that block keys. */
  void stop() {
    if (stopped) {
      return;
    }
    stopped = true;
    // First: the hasty producer pauses a topic at its end, and an operator would resume it.
    operator.close();
    operators.resumeAll();
    // Some take seconds to end, and need not wait for each other.
    clients.forEach(Client::end);
    hasty.end();
    clients.forEach(Client::close);
    limits.raise();
    producer.close();
    hasty.close();
    pauseSchedules();
  }

  /** No schedule runs, once it returns. */
  void pauseSchedules() {
    pauser.pauseAll();
  }

  /** Nobody redrives dead letters any more, once it returns. */
  void stopMending() {
    mender.close();
  }

  long enqueued() {
    return producer.enqueued.get();
  }

  long refused() {
    return producer.refused.get();
  }

  /** What is broken, once the queue is empty, and while workers live; enqueues some. */
  List<String> finalFindings() throws SQLException, InterruptedException {
    pauser.resumeAll();
    List<String> findings = new ArrayList<>(lastRepeater.findings());
    findings.addAll(hasty.findings());
    findings.addAll(asker.findings(LONGEST_WAIT, LONGEST_SILENCE));
    findings.addAll(pauser.findings(LONGEST_WAIT));
    return findings;
  }

  @Override
  public void close() {
    stop();
    stopMending();
    asker.close();
  }

  /** Whatever state a failure has left it in. */
  static void closeQuietly(@Nullable Connection connection) {
    if (connection != null) {
      try {
        connection.close();
      } catch (SQLException e) {
        LOG.debug("it was broken already", e);
      }
    }
  }

  private static final class Producer {
    private static final int MOST_IN_ONE = 40;
    private static final int ONE_ROLLED_BACK_IN = 12;
    private static final int ONE_BATCH_IN = 3;
    private static final int ONE_CHAIN_IN = 3;

    /** A part, a nested batch and its completion. */
    private static final int ADDED_TO_A_BATCH = 2 + FaultTopics.NESTED;

    private static final long AFTER_A_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Cluster cluster;
    private final Mix mix;
    private final int perSecond;
    private final RandomGenerator random;
    private final AtomicLong enqueued = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final Client client;
    private @Nullable Connection connection;

    Producer(Cluster cluster, Mix mix, int perSecond, long seed) {
      this.cluster = cluster;
      this.mix = mix;
      this.perSecond = perSecond;
      this.random = Client.seeded(seed);
      this.client = new Client("producer", seed, this::enqueueSome, 0, 0);
    }

    void start() {
      client.start();
    }

    void close() {
      client.close();
      closeQuietly(connection);
    }

    private void enqueueSome() {
      long start = System.nanoTime();
      int count = 1 + random.nextInt(MOST_IN_ONE);
      List<NewMessage> messages = new ArrayList<>();
      if (enqueued.get() == 0) {
        // They are few, and a run without one shows nothing of them.
        messages.add(Mix.blocking(random));
      }
      Stream.generate(() -> mix.next(random)).limit(count).forEach(messages::add);
      int load = count;
      try {
        load = enqueue(messages);
      } catch (SQLException | RuntimeException e) {
        refused.incrementAndGet();
        LOG.debug("a producer's transaction failed", e);
        closeQuietly(connection);
        connection = null;
        LockSupport.parkNanos(AFTER_A_FAILURE_NANOS);
      }
      long share = TimeUnit.SECONDS.toNanos(load) / perSecond;
      LockSupport.parkNanos(start + share - System.nanoTime());
    }

    /** Returns how many messages it came to for the workers. */
    private int enqueue(List<NewMessage> messages) throws SQLException {
      Connection open = connection;
      if (open == null) {
        open = DriverManager.getConnection(cluster.clientUrl());
        open.setAutoCommit(false);
        connection = open;
      }
      boolean keep = random.nextInt(ONE_ROLLED_BACK_IN) > 0;
      boolean batch = random.nextInt(ONE_BATCH_IN) == 0;
      MessageProducer queue = cluster.producer();
      int written = enqueue(open, queue, messages, batch);
      if (keep) {
        open.commit();
        enqueued.addAndGet(written);
        cluster.countEncrypted(
            queue,
            messages.stream()
                .filter(each -> each.topic().name().equals(FaultTopics.ENCRYPTED))
                .count());
      } else {
        open.rollback();
      }
      return batch ? written + ADDED_TO_A_BATCH : written;
    }

    private int enqueue(
        Connection open, MessageProducer queue, List<NewMessage> messages, boolean batch)
        throws SQLException {
      List<NewMessage> published = new ArrayList<>();
      List<NewMessage> members = new ArrayList<>();
      List<NewMessage> plain = new ArrayList<>();
      for (NewMessage each : messages) {
        if (each.topic().name().equals(FaultTopics.SOURCE)) {
          published.add(each);
        } else if (batch && BatchClients.mayBeMember(each)) {
          members.add(each);
        } else {
          plain.add(each);
        }
      }
      List<Ledger.Entry> entries =
          new ArrayList<>(Ledger.copies(published, queue.publishAll(open, published).all()));
      entries.addAll(Ledger.entries(plain, queue.enqueueAllWithResults(open, plain)));
      Ledger.writeOffered(open, plain);
      if (!members.isEmpty()) {
        members.add(BatchClients.adding(random));
        entries.addAll(BatchClients.enqueueBatch(open, queue, members).members());
      }
      if (random.nextInt(ONE_CHAIN_IN) == 0) {
        var unused = BatchClients.enqueueChain(open, queue, step -> Duration.ZERO);
      }
      Ledger.write(open, entries);
      return entries.size();
    }
  }

  /**
   * What is enqueued: mostly what ends well, over every kind of binding, some of it later, some of
   * it large.
   */
  record Mix(List<Ending> bad, int oneIn) {

    static final Mix USUAL =
        new Mix(List.of(Ending.FAIL_ONCE, Ending.FAIL_ONCE, Ending.REJECT, Ending.RELEASE), 20);

    static final Mix MISBEHAVING =
        new Mix(
            List.of(
                Ending.ERROR,
                Ending.HANG,
                Ending.CLOSE,
                Ending.COMMIT,
                Ending.ROLL_BACK,
                Ending.LEAK,
                Ending.SWALLOW_TIMEOUT,
                Ending.SWALLOW_DEADLOCK,
                Ending.LEAVE_CHANGES,
                Ending.FAIL),
            25);

    static final Mix MIXED =
        new Mix(
            List.of(
                Ending.FAIL_ONCE,
                Ending.REJECT,
                Ending.RELEASE,
                Ending.ERROR,
                Ending.CLOSE,
                Ending.SWALLOW_DEADLOCK),
            20);

    /** Of those whose dead letters leave their key. */
    static final List<String> ORDERING_KEYS = keys("ordered-", 8);

    /** Of those whose dead letters block their key. */
    static final List<String> HELD_KEYS = keys("held-", 4);

    /** So few that several messages of a key are there at one time. */
    static final List<String> FORMER_KEYS = keys("former-", 2);

    /** So few that more of a key arrive at one time than may run. */
    static final List<String> LIMIT_KEYS = keys("limit-", 2);

    /** So few that more of a key arrive at one time than may begin in a second. */
    static final List<String> RATE_KEYS = keys("rate-", 2);

    private static final int MOST_MILLIS = 8;

    /** So long that several of a key would run at one time. */
    private static final int LEAST_LIMITED_MILLIS = 20;

    /** One in so many blocks its key as a dead letter until it is redriven. */
    private static final int ONE_BLOCKING_IN = 4;

    private static final int ONE_WITHOUT_KEY_IN = 4;
    private static final int KEYS = 20;
    private static final long KEYS_FOR_NANOS = 2_000_000_000;

    /** Characters of an old payload: its handler is to count them. */
    private static final int MOST_OF_OLD = 1_000;

    /** Beside its row; a claim reads no more than 32 KiB. */
    private static final String LARGE = "x".repeat(40_000);

    /** Stays in its row, compressed. */
    private static final String COMPRESSIBLE = "z".repeat(4_000);

    /** Outside the database: the producer's store takes it. */
    private static final String HUGE = "y".repeat(STORED_FROM);

    private static List<String> keys(String prefix, int count) {
      return IntStream.range(0, count).mapToObj(number -> prefix + number).toList();
    }

    NewMessage next(RandomGenerator random) {
      Ending ending = random.nextInt(oneIn) == 0 ? any(bad, random) : Ending.SUCCEED;
      String topic = topic(ending, random);
      NewMessage message =
          NewMessage.of(topic, action(topic, ending, random)).withPriority(random.nextInt(3) - 1);
      return switch (topic) {
        // A delay would take it out of the order that the audit knows.
        case FaultTopics.ORDERED -> message.withOrderingKey(any(ORDERING_KEYS, random));
        case FaultTopics.HELD -> message.withOrderingKey(any(HELD_KEYS, random));
        case FaultTopics.KEY_LIMITED -> message.withOrderingKey(any(LIMIT_KEYS, random));
        case FaultTopics.FORMER ->
            keepsOrder(ending) && random.nextInt(ONE_WITHOUT_KEY_IN) > 0
                ? message.withOrderingKey(any(FORMER_KEYS, random))
                : maybeLater(message, random);
        case FaultTopics.ALONE -> maybeTwice(maybeLater(message, random), random);
        default -> maybeLater(message, random);
      };
    }

    /** One that blocks its key as a dead letter. */
    static NewMessage blocking(RandomGenerator random) {
      return NewMessage.of(FaultTopics.HELD, new Action(Ending.REJECT_ONCE, 0, null))
          .withOrderingKey(any(HELD_KEYS, random));
    }

    private static Action action(String topic, Ending ending, RandomGenerator random) {
      int millis = random.nextInt(MOST_MILLIS);
      return switch (topic) {
        case FaultTopics.HELD ->
            new Action(
                random.nextInt(ONE_BLOCKING_IN) == 0 ? Ending.REJECT_ONCE : ending,
                millis,
                filler(topic, random));
        case FaultTopics.KEY_LIMITED -> new Action(ending, LEAST_LIMITED_MILLIS + millis, null);
        default -> new Action(ending, millis, filler(topic, random));
      };
    }

    private static <T> T any(List<T> all, RandomGenerator random) {
      return all.get(random.nextInt(all.size()));
    }

    private static NewMessage maybeLater(NewMessage message, RandomGenerator random) {
      return random.nextInt(20) == 0
          ? message.withDelay(Duration.ofMillis(random.nextInt(1_000)))
          : message;
    }

    /** Under keys that come again within seconds, and are held for longer than any run lasts. */
    private static NewMessage maybeTwice(NewMessage message, RandomGenerator random) {
      if (random.nextInt(5) > 0) {
        return message;
      }
      String key = "key-" + System.nanoTime() / KEYS_FOR_NANOS + "-" + random.nextInt(KEYS);
      return message.withDeduplication(Deduplication.within(key, Duration.ofDays(1)));
    }

    private static @Nullable String filler(String topic, RandomGenerator random) {
      if (topic.equals(FaultTopics.ENCRYPTED)) {
        return COMPRESSIBLE;
      }
      if (topic.equals(FaultTopics.UPCAST) || topic.equals(FaultTopics.FORMER)) {
        return "w".repeat(random.nextInt(1, MOST_OF_OLD));
      }
      return switch (random.nextInt(80)) {
        case 0, 1 -> LARGE;
        case 2, 3 -> HUGE;
        default -> null;
      };
    }

    private static String topic(Ending ending, RandomGenerator random) {
      return switch (random.nextInt(40)) {
        case 0, 1, 2, 3 -> needsNoConnection(ending) ? FaultTopics.OUTSIDE : FaultTopics.ALONE;
        case 4, 5, 6, 7, 8 -> FaultTopics.SHARED;
        case 9, 10, 11, 12, 13 -> FaultTopics.BATCH;
        case 14, 15, 16, 17 -> keepsOrder(ending) ? FaultTopics.ORDERED : FaultTopics.ALONE;
        case 18 -> FaultTopics.RESULT;
        case 19, 20 -> FaultTopics.SOURCE;
        case 21, 22 -> FaultTopics.LIMITED;
        case 23, 24 -> FaultTopics.ENCRYPTED;
        case 25, 26, 27 -> keepsOrder(ending) ? FaultTopics.HELD : FaultTopics.ALONE;
        case 28, 29 -> FaultTopics.KEY_LIMITED;
        case 30, 31 -> FaultTopics.UPCAST;
        case 32, 33 -> FaultTopics.FORMER;
        case 34, 35 -> FaultTopics.COUNTED;
        default -> FaultTopics.ALONE;
      };
    }

    /**
     * Dead letters leave their key, and come back out of order; or block it, and would become dead
     * letters again and again.
     */
    private static boolean keepsOrder(Ending ending) {
      return ending != Ending.FAIL && ending != Ending.REJECT && ending != Ending.COMMIT;
    }

    /** What a handling without a transaction can do, too. */
    private static boolean needsNoConnection(Ending ending) {
      return switch (ending) {
        case CLOSE, COMMIT, ROLL_BACK, LEAK, SWALLOW_TIMEOUT, SWALLOW_DEADLOCK -> false;
        default -> true;
      };
    }
  }
}
