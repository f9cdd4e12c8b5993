package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.internal.LeaseState;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goal: a worker under load rides out that its server is gone for longer than its lease, and is
 * soon as fast as before. (That a minute costs no attempt, and that the worker's life goes on, is
 * {@code LivenessIT}'s.) Method: the server is killed and started again after {@code
 * rowqueue.test.outage} seconds (5 if it is not set); the books, and the rates before and after,
 * which are logged.
 */
@Tag("ci")
@ResourceLock(providers = WholeServer.class)
class OutageIT {

  private static final Logger LOG = LoggerFactory.getLogger(OutageIT.class);

  private static final Duration OUTAGE =
      Duration.ofSeconds(Integer.getInteger("rowqueue.test.outage", 5));

  /** Of the defaults, if the outage is longer than that. */
  private static final Duration LEASE = Duration.ofSeconds(OUTAGE.toSeconds() > 15 ? 15 : 3);

  private static final Duration WINDOW = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofMinutes(2);
  private static final int MESSAGES = 8_000;
  private static final int THREADS = 8;
  private static final String TOPIC = "outage";

  /** With this, handlers and not the machine bound the rate. */
  private static final long WORK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Queue<Long> handled = new ConcurrentLinkedQueue<>();
  private final Queue<String> failedBefore = new ConcurrentLinkedQueue<>();

  record Work(int number) {}

  @Test
  void outage_longerThanTheLease_isRiddenOutWithoutARestart() throws Exception {
    String url = System.getProperty("rowqueue.test.url", "");
    try (Cluster.Server server =
        url.isEmpty()
            ? Cluster.Server.embedded()
            : Cluster.Server.at(url, System.getProperty("rowqueue.test.start"))) {
      assumeTrue(server.restarts(), "NOT RUN: nobody says how to start the server again");
      try (QueueDatabase database = QueueDatabase.create(server.address())) {
        rideOut(server, database);
      }
    }
  }

  private void rideOut(Cluster.Server server, QueueDatabase database) throws Exception {
    database.execute(
        "CREATE TABLE effect (id BIGINT AUTO_INCREMENT PRIMARY KEY, message_id BIGINT NOT NULL)");
    enqueue(database);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config ->
                config
                    .withThreads(THREADS)
                    .withLeaseDuration(LEASE)
                    .withLeaseRenewInterval(LEASE.dividedBy(3))
                    .withPollInterval(Duration.ofSeconds(1)),
            LambdaHandlers.bind(TOPIC, Work.class, this::handle, HandlerSettings.defaults()))) {
      long start = System.nanoTime();
      Await.that(
          "it is under way", LONG, () -> handled.size() > MESSAGES / 8 && hasPassed(start, WINDOW));
      long down = System.nanoTime();
      server.kill(database);
      LeaseState leaseState = worker.get(LeaseState.class);
      Await.that(
          "the worker's lease has run out",
          OUTAGE.plus(LONG),
          () -> leaseState.holder() == null && hasPassed(down, OUTAGE));
      server.restart();
      long up = System.nanoTime();

      Await.until(
          "all are handled",
          LONG,
          () -> database.count("SELECT COUNT(*) FROM queue_message"),
          left -> left == 0);
      tell(down, up);
    }
    assertThat(database.count("SELECT COUNT(*) FROM effect")).isEqualTo(MESSAGES);
    assertThat(database.count("SELECT COUNT(DISTINCT message_id) FROM effect")).isEqualTo(MESSAGES);
    assertThat(database.count("SELECT COUNT(*) FROM queue_dead_letter")).isZero();
    assertThat(failedBefore).as("attempts that were counted against the outage").isEmpty();
  }

  private static boolean hasPassed(long since, Duration time) {
    return System.nanoTime() - since > time.toNanos();
  }

  private static void enqueue(QueueDatabase database) {
    MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            IntStream.range(0, MESSAGES)
                .mapToObj(number -> NewMessage.of(TOPIC, new Work(number)))
                .toList());
  }

  private void handle(Work work, HandlerContext context) throws SQLException {
    if (context.attempt() > 1) {
      failedBefore.add(context.id() + " was handled for the " + context.attempt() + ". time");
    }
    try (PreparedStatement insert =
        context.connection().prepareStatement("INSERT INTO effect (message_id) VALUES (?)")) {
      insert.setLong(1, context.id().value());
      insert.executeUpdate();
    }
    LockSupport.parkNanos(WORK_NANOS);
    handled.add(System.nanoTime());
  }

  private void tell(long down, long up) {
    long window = WINDOW.toNanos();
    List<Long> all = List.copyOf(handled);
    long first = all.stream().filter(at -> at > up).mapToLong(at -> at - up).min().orElseThrow();
    LOG.info(
        "server gone for {} ms, lease {} s; first message handled {} ms after its return; handled a"
            + " second: {} in the {} s before, {} in the first {} s after, {} in the next {} s",
        TimeUnit.NANOSECONDS.toMillis(up - down),
        LEASE.toSeconds(),
        TimeUnit.NANOSECONDS.toMillis(first),
        perSecond(all, down - window, down),
        WINDOW.toSeconds(),
        perSecond(all, up, up + window),
        WINDOW.toSeconds(),
        perSecond(all, up + window, up + 2 * window),
        WINDOW.toSeconds());
  }

  private static long perSecond(List<Long> all, long from, long to) {
    return all.stream().filter(at -> at >= from && at < to).count()
        / TimeUnit.NANOSECONDS.toSeconds(to - from);
  }
}
