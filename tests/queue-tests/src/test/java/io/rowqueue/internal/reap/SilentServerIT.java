package io.rowqueue.internal.reap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.inject.Inject;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.MessageId;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.process.Wire;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@QueueTest
class SilentServerIT {

  private static final int MESSAGES = 400;

  /** Much less than a socket waits for an answer. */
  private static final long LONGEST_STOP_SECONDS = 50;

  @Tag("ci")
  @Test
  void stop_whileNothingComesFromTheServer_endsLongBeforeTheSocketsGiveUp(QueueDatabase database)
      throws Exception {
    try (Wire wire = Wire.to(database.url())) {
      stopsInSilence(
          database,
          wire,
          WorkerConfig.defaults(new DatabaseConfig(wire.through(database.url()), "", "")));
    }
  }

  /** The start waits for an answer, and holds the worker's monitor. */
  @Tag("full")
  @Test
  void close_whileAStartWaitsForTheServer_endsLongBeforeTheSocketsGiveUp(QueueDatabase database)
      throws Exception {
    CountDownLatch silent = new CountDownLatch(1);
    try (Wire wire = Wire.to(database.url());
        TestWorker worker =
            TestWorker.createAt(
                wire.through(database.url()),
                config -> config,
                binder -> {
                  binder
                      .bind(Runnable.class)
                      .toInstance(
                          () -> {
                            wire.freeze();
                            silent.countDown();
                          });
                  HandlerBinder.bind(binder, "order", Silencing.class);
                })) {
      CompletableFuture<Void> start = CompletableFuture.runAsync(worker.worker()::start);
      assertThat(silent.await(Orders.SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(CompletableFuture.runAsync(worker.worker()::close))
          .succeedsWithin(LONGEST_STOP_SECONDS, TimeUnit.SECONDS);
      assertThat(start).isCompletedExceptionally();
    }
  }

  static final class Silencing implements MessageHandler<Handlers.Order> {
    @Inject
    Silencing(Runnable silence) {
      silence.run();
    }

    @Override
    public void handle(Handlers.Order order, HandlerContext context) {}
  }

  /** MariaDB's driver opens a connection to abort another, and waits for it for 30 s. */
  @Tag("full")
  @Test
  void stop_withAnApplicationsPoolOfMariaDbsDriver_waitsForOneAbortAtMost(QueueDatabase database)
      throws Exception {
    assumeTrue(database.isMariaDb());
    try (Wire wire = Wire.to(database.url());
        HikariDataSource pool = mariaDbPool(wire.through(database.url()))) {
      stopsInSilence(database, wire, WorkerConfig.defaults(DatabaseConfig.of(pool)));
    }
  }

  private static void stopsInSilence(QueueDatabase database, Wire wire, WorkerConfig config)
      throws Exception {
    Orders.openBooks(database);
    CountDownLatch silent = new CountDownLatch(1);
    TestWorker worker =
        TestWorker.startAt(
            database.url(),
            ignored -> config.withThreads(4),
            Handlers.bind(
                "order",
                (order, context) -> {
                  Orders.write(order, context);
                  wire.freeze();
                  silent.countDown();
                  Orders.write(order, context);
                },
                HandlerSettings.defaults()));
    Orders.enqueue(database, 1);
    assertThat(silent.await(Orders.SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Void> stop = CompletableFuture.runAsync(worker::close);
    assertThat(stop).succeedsWithin(LONGEST_STOP_SECONDS, TimeUnit.SECONDS);
    assertThat(database.count(Orders.HANDLED)).isZero();
  }

  private static HikariDataSource mariaDbPool(String url) {
    HikariConfig config = new HikariConfig();
    config.setDriverClassName("org.mariadb.jdbc.Driver");
    config.setJdbcUrl(url.replace("jdbc:mysql:", "jdbc:mariadb:"));
    return new HikariDataSource(config);
  }

  /** They may run elsewhere by then, and an effect outside the database would happen twice. */
  @Test
  void claims_thatWaitWhenTheLeaseIsInDoubt_areNotHandled(QueueDatabase database) throws Exception {
    Set<MessageId> begun = ConcurrentHashMap.newKeySet();
    CountDownLatch blocked = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    try (Wire wire = Wire.to(database.url());
        TestWorker worker =
            TestWorker.createAt(
                wire.through(database.url()),
                config -> config.withThreads(1).withLeaseDuration(Duration.ofMillis(600)),
                Handlers.bind(
                    "order",
                    (order, context) -> {
                      begun.add(context.id());
                      if (begun.size() == MESSAGES / 2) {
                        blocked.countDown();
                        goOn.await();
                      }
                    },
                    HandlerSettings.defaults().withoutTransaction()))) {
      Orders.enqueueAll(database, MESSAGES);
      worker.worker().start();
      assertThat(blocked.await(Orders.SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
      Dispatcher dispatcher = worker.get(Dispatcher.class);
      Await.that("some wait", Orders.SOON, () -> anyWaits(dispatcher, begun));
      wire.freeze();
      LeaseState leaseState = worker.get(LeaseState.class);
      Await.that("the lease is in doubt", Orders.SOON, () -> leaseState.holder() == null);
      assertThat(anyWaits(dispatcher, begun)).isTrue();
      goOn.countDown();
      Await.that("none waits", Orders.SOON, () -> !anyWaits(dispatcher, begun));
      assertThat(begun).hasSize(MESSAGES / 2);
      wire.thaw();
      Await.until("all are handled", Orders.SOON, begun::size, size -> size == MESSAGES);
    }
  }

  private static boolean anyWaits(Dispatcher dispatcher, Set<MessageId> begun) {
    return dispatcher.known().stream().anyMatch(key -> !begun.contains(key.id()));
  }
}
