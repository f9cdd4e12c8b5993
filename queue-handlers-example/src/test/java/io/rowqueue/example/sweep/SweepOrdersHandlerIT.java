package io.rowqueue.example.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.MessageProducer;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Runs: what they take, how they free, and that they stay in one chain. */
@QueueTest
class SweepOrdersHandlerIT {

  private ShopFloor floor;

  @BeforeEach
  void openShop(QueueDatabase database) throws SQLException {
    floor = new ShopFloor(database);
  }

  @Test
  void sweep_ordersOfAllAges_takesTheOldestUpToItsLimit(QueueDatabase database) throws Exception {
    floor.place("young", 2, 1);
    floor.place("old", 2, 3);
    floor.place("older", 2, 4);
    floor.sweep(1);
    assertThat(database.strings("SELECT id FROM shop_order WHERE sweep_id = 1 ORDER BY id"))
        .hasSize(3)
        .contains("older-0", "older-1")
        .doesNotContain("young-0", "young-1");
    assertThat(floor.messages(UnpaidOrder.TOPIC)).isEqualTo(3);
    floor.sweep(2);
    floor.sweep(3);
    assertThat(database.strings("SELECT id FROM shop_order WHERE sweep_id = 0 ORDER BY id"))
        .containsExactly("young-0", "young-1");
    assertThat(floor.messages(UnpaidOrder.TOPIC)).isEqualTo(4);
  }

  @Test
  void sweep_committed_hasOneSuccessorAPeriodLater(QueueDatabase database) throws Exception {
    floor.sweep(1);
    assertThat(
            database.strings(
                "SELECT CONVERT(payload USING utf8mb4) FROM queue_message"
                    + " WHERE topic = 'orders.sweep'"))
        .containsExactly("{\"generation\":2}");
    assertThat(
            database.count(
                "SELECT TIMESTAMPDIFF(SECOND, created_at, due_at) FROM queue_message"
                    + " WHERE topic = 'orders.sweep'"))
        .isBetween(59L, 61L);
  }

  @Test
  void sweep_rolledBack_leavesNothingAndMayRunAgain() throws Exception {
    floor.place("old", 2, 3);
    try (Connection connection = floor.transaction()) {
      floor.sweep(1, connection);
      connection.rollback();
    }
    assertThat(floor.messages(SweepOrders.TOPIC)).isZero();
    assertThat(floor.messages(UnpaidOrder.TOPIC)).isZero();
    assertThat(floor.database.count("SELECT SUM(sweep_id) FROM shop_order")).isZero();
    floor.sweep(1);
    assertThat(floor.messages(UnpaidOrder.TOPIC)).isEqualTo(2);
  }

  @Test
  void sweep_ofAnotherGeneration_doesNothingAndHasNoSuccessor() throws Exception {
    floor.sweep(1);
    floor.place("old", 2, 3);
    floor.sweep(1); // a second message for a run that has been made
    floor.sweep(7); // nobody's
    assertThat(floor.messages(SweepOrders.TOPIC)).isEqualTo(1);
    assertThat(floor.database.count("SELECT SUM(sweep_id) FROM shop_order")).isZero();
    assertThat(floor.database.count("SELECT generation FROM shop_sweep")).isEqualTo(2);
  }

  @Test
  void sweeps_ofOneGenerationAtOnce_haveOneSuccessorInAll() throws Exception {
    floor.place("old", 9, 3);
    CyclicBarrier together = new CyclicBarrier(4);
    inThreads(
        4,
        thread -> {
          try (Connection connection = floor.transaction()) {
            together.await();
            floor.sweep(1, connection);
            connection.commit();
          }
          return List.of();
        });
    assertThat(floor.messages(SweepOrders.TOPIC)).isEqualTo(1);
    assertThat(floor.messages(UnpaidOrder.TOPIC)).isEqualTo(3);
  }

  @Test
  void runs_atOnce_neverTakeTheSameOrder() throws Exception {
    floor.place("old", 90, 3);
    List<String> taken =
        inThreads(
            4,
            thread -> {
              List<String> mine = new ArrayList<>();
              for (int run = 1; run <= 90; run++) {
                long sweepId = 1_000L * (thread + 1) + run;
                if (floor.take(sweepId) == 0) {
                  return mine;
                }
                try (Connection connection = floor.transaction()) {
                  mine.addAll(floor.orders(connection).takenBy(sweepId));
                }
              }
              throw new AssertionError("it takes and takes");
            });
    assertThat(taken).hasSize(90).doesNotHaveDuplicates();
  }

  @Test
  void run_whileAnotherHasTakenAndNotCommitted_takesOthers() throws Exception {
    floor.place("old", 6, 3);
    Set<String> all = new HashSet<>();
    try (Connection first = floor.transaction()) {
      assertThat(floor.orders(first).take(1, ShopFloor.CONFIG)).isEqualTo(3);
      ExecutorService executor = Executors.newSingleThreadExecutor();
      try {
        Future<Integer> second = executor.submit(() -> floor.take(2));
        all.addAll(floor.orders(first).takenBy(1));
        Await.that(
            "the second waits for the first, or needs not",
            Duration.ofSeconds(20),
            () -> second.isDone() || updates() > 0);
        first.commit();
        assertThat(second.get()).isEqualTo(3);
      } finally {
        executor.shutdown();
      }
    }
    try (Connection connection = floor.transaction()) {
      all.addAll(floor.orders(connection).takenBy(2));
    }
    assertThat(all).hasSize(6);
  }

  @Test
  void run_thatDiedWithItsOrders_losesThemToALaterOne(QueueDatabase database) throws Exception {
    floor.place("old", 3, 3);
    database.execute("UPDATE shop_sweep SET generation = 5");
    assertThat(floor.take(4)).isEqualTo(3);
    floor.sweep(5);
    assertThat(floor.messages(UnpaidOrder.TOPIC)).as("it may live still").isZero();
    database.execute("UPDATE shop_order SET sweep_started = sweep_started - INTERVAL 2 HOUR");
    floor.sweep(6);
    assertThat(database.strings("SELECT DISTINCT sweep_id FROM shop_order")).containsExactly("6");
    assertThat(floor.messages(UnpaidOrder.TOPIC)).isEqualTo(3);
    for (int i = 0; i < 3; i++) {
      floor.settle("old-" + i, 4); // the dead come back, too late
    }
    assertThat(floor.in("CONFIRMED")).isEqualTo(3);
    for (int i = 0; i < 3; i++) {
      floor.settle("old-" + i, 6);
    }
    assertThat(floor.in("CANCELLED")).isEqualTo(3);
    assertThat(floor.stock()).isEqualTo(ShopFloor.STOCK);
  }

  @Test
  void start_withoutTheShopsRow_fails(QueueDatabase database) {
    database.execute("DELETE FROM shop_sweep");
    assertThatThrownBy(
            () ->
                floor.shop.transaction(
                    transaction -> {
                      SweepChain.start(transaction, MessageProducer.create());
                      return true;
                    }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("orders.sweep");
  }

  private long updates() {
    return floor.database.count(
        "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE() AND"
            + " info LIKE 'UPDATE shop_order%'");
  }

  private interface Work {
    List<String> in(int thread) throws Exception;
  }

  private static List<String> inThreads(int threads, Work work) throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<List<String>>> calls =
          IntStream.range(0, threads)
              .<Callable<List<String>>>mapToObj(i -> () -> work.in(i))
              .toList();
      List<String> all = new ArrayList<>();
      for (Future<List<String>> done : executor.invokeAll(calls)) {
        all.addAll(done.get());
      }
      return all;
    } finally {
      executor.shutdown();
    }
  }
}
