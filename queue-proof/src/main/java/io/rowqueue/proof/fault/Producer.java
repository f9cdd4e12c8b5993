package io.rowqueue.proof.fault;

import io.rowqueue.body.FileBodyStore;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.fault.Ledger.Entry;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.proof.fault.plugin.Seal;
import io.rowqueue.wrap.Wrapping;
import io.rowqueue.wrap.Zstd;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Enqueues as applications do: a few messages in a transaction of its own work, which now and then
 * is rolled back. What fails is not repeated: the books know whether it was committed.
 */
final class Producer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Producer.class);
  private static final int MOST_IN_ONE = 40;
  private static final int ONE_ROLLED_BACK_IN = 12;
  private static final int ONE_BATCH_IN = 3;
  private static final int ONE_CHAIN_IN = 3;

  /** A part, a nested batch and its completion. */
  private static final int ADDED_TO_A_BATCH = 2 + Deed.INNER;

  /** Bytes; payloads from there on lie outside the database. */
  static final int STORED_FROM = 60_000;

  private static final long AFTER_A_FAILURE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final String url;
  private final Mix mix;
  private final int perSecond;
  private final RandomGenerator random;
  private final Fleet fleet;
  private final AtomicLong sealedAnew = new AtomicLong();
  private volatile MessageProducer queue;
  private final AtomicLong enqueued = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final Thread thread = new Thread(this::run, "producer");
  private @Nullable Connection connection;
  private volatile boolean closed;

  Producer(String url, Fleet fleet, Mix mix, int perSecond, RandomGenerator random) {
    this.url = url;
    this.fleet = fleet;
    this.queue = queueOf(fleet);
    this.mix = mix;
    this.perSecond = perSecond;
    this.random = random;
  }

  /** One that stores and seals what is to be. */
  static MessageProducer queueOf(Fleet fleet) {
    return MessageProducer.create()
        .storing(FileBodyStore.in(fleet.bodies()), STORED_FROM)
        .wrapping(Wrapping.none().forTopic(Deed.SEALED, Zstd.above(0), Seal.in(fleet.home())));
  }

  /** Seals with the key that is primary now, as producers do that are started anew. */
  void renewSeals() {
    sealedAnew.set(0);
    queue = queueOf(fleet);
  }

  /** Sealed messages whose transactions were committed, since {@link #renewSeals}. */
  long sealedAnew() {
    return sealedAnew.get();
  }

  void start() {
    thread.start();
  }

  /** Messages whose transactions were committed, as far as it knows. */
  long enqueued() {
    return enqueued.get();
  }

  /** Transactions that failed, be it with an unknown outcome. */
  long refused() {
    return refused.get();
  }

  private void run() {
    while (!closed) {
      long start = System.nanoTime();
      int count = 1 + random.nextInt(MOST_IN_ONE);
      List<NewMessage> messages = new ArrayList<>();
      if (enqueued.get() == 0) {
        // They are few, and a run without one shows nothing of them.
        messages.add(Mix.held(random));
      }
      Stream.generate(() -> mix.next(random)).limit(count).forEach(messages::add);
      boolean keep = random.nextInt(ONE_ROLLED_BACK_IN) > 0;
      int load = count;
      try {
        load = enqueue(messages, keep);
      } catch (SQLException | RuntimeException e) {
        refused.incrementAndGet();
        LOG.debug("a producer's transaction failed", e);
        forget();
        LockSupport.parkNanos(AFTER_A_FAILURE_NANOS);
      }
      long share = TimeUnit.SECONDS.toNanos(load) / perSecond;
      LockSupport.parkNanos(start + share - System.nanoTime());
    }
    forget();
  }

  /** Returns what it came to for the workers. */
  private int enqueue(List<NewMessage> messages, boolean keep) throws SQLException {
    Connection connection = open();
    boolean batch = random.nextInt(ONE_BATCH_IN) == 0;
    MessageProducer now = queue;
    int booked = enqueueAndPublish(connection, now, messages, batch);
    if (keep) {
      connection.commit();
      enqueued.addAndGet(booked);
      if (now == queue) {
        sealedAnew.addAndGet(messages.stream().filter(Producer::isSealed).count());
      }
    } else {
      connection.rollback();
    }
    return batch ? booked + ADDED_TO_A_BATCH : booked;
  }

  private static boolean isSealed(NewMessage message) {
    return message.topic().name().equals(Deed.SEALED);
  }

  private int enqueueAndPublish(
      Connection connection, MessageProducer queue, List<NewMessage> messages, boolean batch)
      throws SQLException {
    Map<Way, List<NewMessage>> ways =
        messages.stream().collect(Collectors.groupingBy(each -> Way.of(each, batch)));
    List<NewMessage> published = ways.getOrDefault(Way.PUBLISHED, List.of());
    List<NewMessage> plain = ways.getOrDefault(Way.PLAIN, List.of());
    List<NewMessage> members = new ArrayList<>(ways.getOrDefault(Way.MEMBER, List.of()));
    List<Entry> entries =
        new ArrayList<>(
            FeatureLedger.copies(published, queue.publishAll(connection, published).all()));
    entries.addAll(FeatureLedger.entries(plain, queue.offerAll(connection, plain)));
    FeatureLedger.offer(connection, plain);
    if (!members.isEmpty()) {
      members.add(Mix.adding(random));
      entries.addAll(BatchLedger.enqueueBatch(connection, queue, members).members());
    }
    if (random.nextInt(ONE_CHAIN_IN) == 0) {
      var unused = BatchLedger.enqueueChain(connection, queue, step -> Duration.ZERO);
    }
    Ledger.book(connection, entries);
    return entries.size();
  }

  /**
   * Whether it may be in a batch. A duplicate is left out, and would be no member: those with keys
   * are none. Nor are those that come back all the same when they have failed: their batches would
   * not know how they end.
   */
  static boolean mayBeMember(NewMessage message) {
    String topic = message.topic().name();
    return message.deduplication() == null
        && !topic.equals(Deed.HELD)
        && !topic.equals(Deed.SOURCE);
  }

  /** How a message is enqueued. */
  private enum Way {
    PUBLISHED,
    PLAIN,
    MEMBER;

    static Way of(NewMessage message, boolean batch) {
      if (message.topic().name().equals(Deed.SOURCE)) {
        return PUBLISHED;
      }
      return batch && mayBeMember(message) ? MEMBER : PLAIN;
    }
  }

  private Connection open() throws SQLException {
    Connection now = connection;
    if (now == null) {
      now = DriverManager.getConnection(url);
      now.setAutoCommit(false);
      connection = now;
    }
    return now;
  }

  /** Whatever state the failure has left it in. */
  private void forget() {
    Connection last = connection;
    connection = null;
    if (last != null) {
      try {
        last.close();
      } catch (SQLException e) {
        LOG.debug("it was broken already", e);
      }
    }
  }

  /** Enqueues no more, once it returns. */
  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
