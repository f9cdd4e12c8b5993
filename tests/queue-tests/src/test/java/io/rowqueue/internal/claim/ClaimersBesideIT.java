package io.rowqueue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.DeadlockCounter;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class ClaimersBesideIT {

  private final LockId me = LockId.create("me", 1);
  private final LockId other = LockId.create("other", 2);
  private final DeadlockCounter deadlocks = new DeadlockCounter();
  private TestWorker parts;
  private ClaimStrategy strategy;

  @BeforeEach
  void oneStrategy(QueueDatabase database) {
    parts = ClaimScene.parts(database, kind(), deadlocks);
    strategy = parts.get(ClaimStrategy.class);
  }

  @AfterEach
  void closeConnections() {
    parts.close();
  }

  Kind kind() {
    return Kind.SKIP_LOCKED;
  }

  private List<Claim> claim(int limit) {
    return strategy.claim(new ClaimRequest(ClaimScene.ORDER, me, limit, 1));
  }

  @Test
  void rolledBackEnqueue_isNeverClaimed(QueueDatabase database) throws Exception {
    try (Connection open = database.connect()) {
      open.setAutoCommit(false);
      MessageProducer.create().enqueue(open, NewMessage.of("order", new Order(1)));
      Callable<List<Claim>> rollBack =
          () -> {
            open.rollback();
            return List.of();
          };
      List<List<Claim>> claims = concurrently(List.of(() -> claim(5), rollBack));
      assertThat(claims).containsExactly(List.of(), List.of());
    }
    assertThat(claim(5)).isEmpty();
  }

  @Test
  void twoClaimers_shareAll_noneTwiceNoneMissing(QueueDatabase database) throws Exception {
    List<MessageId> enqueued = ClaimScene.enqueue(database, 600);
    try (TestWorker second = ClaimScene.parts(database, kind())) {
      List<List<MessageId>> both =
          concurrently(
              List.of(
                  () -> claimAll(database, strategy, me),
                  () -> claimAll(database, second.get(ClaimStrategy.class), other)));
      List<MessageId> all = new ArrayList<>(both.get(0));
      all.addAll(both.get(1));
      assertThat(all).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(enqueued);
    }
    assertThat(database.strings("SELECT DISTINCT claim_number FROM queue_message"))
        .containsExactly("1");
  }

  private static List<MessageId> claimAll(
      QueueDatabase database, ClaimStrategy strategy, LockId lockId) {
    List<MessageId> claimed = new ArrayList<>();
    List<Claim> next;
    do {
      next = strategy.claim(new ClaimRequest(ClaimScene.ORDER, lockId, 25, 1));
      claimed.addAll(ClaimScene.ids(next));
    } while (!next.isEmpty()
        || database.count("SELECT COUNT(*) FROM queue_message WHERE state = 0") > 0);
    return claimed;
  }

  @Test
  void producersBeside_neverDeadlock(QueueDatabase database) throws Exception {
    DataSource producers = deadlocks.over(database.dataSource());
    CountDownLatch produced = new CountDownLatch(2);
    Callable<Integer> produce =
        () -> {
          try {
            for (int i = 0; i < 20; i++) {
              ClaimScene.enqueue(producers, 10);
            }
            return 200;
          } finally {
            produced.countDown();
          }
        };
    Callable<Integer> claim =
        () -> {
          Set<MessageId> claimed = new HashSet<>();
          List<Claim> next;
          do {
            boolean last = produced.getCount() == 0;
            next = claim(10);
            parts.get(Settler.class).ackAll(next);
            claimed.addAll(ClaimScene.ids(next));
            if (last && next.isEmpty()) {
              break;
            }
          } while (true);
          return claimed.size();
        };
    assertThat(concurrently(List.of(claim, produce, produce))).containsExactly(400, 200, 200);
    assertThat(deadlocks.count()).as("deadlocks (1213)").isZero();
  }

  /** Rows that are drained and not purged yet lie between those that four claimers look for. */
  @Test
  void claimersAmongSuspects_neverDeadlock(QueueDatabase database) throws Exception {
    int messages = 400;
    ClaimScene.enqueue(database, messages);
    database.execute("UPDATE queue_message SET priority = id % 3, lost_claims = (id DIV 3) % 2");
    List<TestWorker> workers =
        Stream.generate(() -> ClaimScene.parts(database, kind(), deadlocks)).limit(4).toList();
    try {
      List<Callable<Integer>> drains = new ArrayList<>();
      for (TestWorker worker : workers) {
        LockId lockId = LockId.create("claimer", 10 + drains.size());
        drains.add(() -> drainAmongSuspects(database, worker, lockId));
      }
      assertThat(concurrently(drains).stream().mapToInt(Integer::intValue).sum())
          .isEqualTo(messages);
    } finally {
      workers.forEach(TestWorker::close);
    }
    assertThat(deadlocks.count()).as("deadlocks (1213)").isZero();
  }

  private static int drainAmongSuspects(QueueDatabase database, TestWorker worker, LockId lockId) {
    int drained = 0;
    int turn = 0;
    do {
      List<Claim> claims =
          worker
              .get(ClaimStrategy.class)
              .claim(new ClaimRequest(ClaimScene.ORDER, lockId, 20, turn++ % 2));
      drained += worker.get(Settler.class).ackAll(claims);
    } while (database.count("SELECT COUNT(*) FROM queue_message WHERE state = 0") > 0);
    return drained;
  }

  private static <T> List<T> concurrently(List<Callable<T>> all) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(all.size());
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> future : threads.invokeAll(all, 60, TimeUnit.SECONDS)) {
        results.add(future.get());
      }
      return Collections.unmodifiableList(results);
    } finally {
      threads.shutdownNow();
    }
  }
}
