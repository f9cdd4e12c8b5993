package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DispatchQueueTest {

  private static final Topic LIMITED = new Topic("limited");
  private static final Topic FREE = new Topic("free");
  private static final Topic OTHER = new Topic("other");
  private static final LockId ME = LockId.create("me", 1);

  private static final Body EMPTY = new Body(true, new byte[0], null, 0, 0);

  private final DispatchQueue queue =
      new DispatchQueue(
          topic -> topic.equals(LIMITED) ? 1 : 10,
          DispatchQueueTest::unlimited,
          topic -> topic.equals(FREE) ? 3 : 1,
          UnaryOperator.identity());

  private static int unlimited(Topic topic) {
    return Integer.MAX_VALUE;
  }

  private static Claim claim(Topic topic, long id) {
    return new Claim(new MessageId(id), topic, ME, 1, 0, 0, false, Instant.EPOCH, null, EMPTY);
  }

  @Test
  void take_topicAtItsLimit_isPassedOverUntilOneEnds() throws InterruptedException {
    queue.add(claim(LIMITED, 1));
    queue.add(claim(LIMITED, 2));
    queue.add(claim(FREE, 3));
    queue.add(claim(FREE, 4));
    assertThat(queue.take()).isEqualTo(claim(LIMITED, 1));
    assertThat(queue.take()).isEqualTo(claim(FREE, 3));
    assertThat(queue.take()).isEqualTo(claim(FREE, 4));
    assertThat(queue.runnable()).isZero();
    queue.ended(LIMITED);
    assertThat(queue.runnable()).isOne();
    assertThat(queue.take()).isEqualTo(claim(LIMITED, 2));
  }

  /** So that the connections of the others can be closed. */
  @Test
  void add_topicAtItsLimit_wakesNoThread() throws InterruptedException {
    Set<Thread> examined = ConcurrentHashMap.newKeySet();
    DispatchQueue ofOne =
        new DispatchQueue(
            topic -> {
              examined.add(Thread.currentThread());
              return 1;
            },
            DispatchQueueTest::unlimited,
            topic -> 1,
            UnaryOperator.identity());
    ofOne.add(claim(LIMITED, 1));
    assertThat(ofOne.take()).isEqualTo(claim(LIMITED, 1));
    List<Thread> threads =
        IntStream.range(0, 8).mapToObj(i -> new Thread(() -> takeNone(ofOne))).toList();
    startAndAwaitIdle(threads);
    examined.clear();
    for (int i = 2; i <= 200; i++) {
      ofOne.add(claim(LIMITED, i));
    }
    ofOne.close();
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(examined).containsExactly(Thread.currentThread());
  }

  private static void takeNone(DispatchQueue queue) {
    try {
      assertThat(queue.take()).isNull();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void startAndAwaitIdle(List<Thread> threads) {
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      while (!isIdle(thread)) {
        Thread.onSpinWait();
      }
    }
  }

  /** A thread that waits for the queue's lock is not. */
  private static boolean isIdle(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        && Arrays.stream(thread.getStackTrace())
            .map(StackTraceElement::getMethodName)
            .anyMatch("await"::equals);
  }

  /** One thread was woken for both. */
  @Test
  void add_claimsOfTwoTopics_bothAreTakenByIdleThreads() throws InterruptedException {
    CyclicBarrier together = new CyclicBarrier(2);
    CountDownLatch met = new CountDownLatch(2);
    List<Thread> threads =
        IntStream.range(0, 2).mapToObj(i -> new Thread(() -> takeOne(together, met))).toList();
    startAndAwaitIdle(threads);
    queue.add(claim(FREE, 1));
    queue.add(claim(OTHER, 2));
    assertThat(met.await(30, TimeUnit.SECONDS)).isTrue();
  }

  /** Holds its claim until the other thread has one, too. */
  private void takeOne(CyclicBarrier together, CountDownLatch met) {
    try {
      queue.take();
      together.await();
      met.countDown();
    } catch (InterruptedException | BrokenBarrierException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void take_topicsThatBothWait_takeTurnsByWeight() throws InterruptedException {
    for (int i = 1; i <= 40; i++) {
      queue.add(claim(FREE, i));
      queue.add(claim(OTHER, 100 + i));
    }
    assertThat(takeTopics(40)).containsEntry(FREE, 30L).containsEntry(OTHER, 10L);
  }

  @Test
  void take_topicThatWasAlone_owesNothing() throws InterruptedException {
    for (int i = 1; i <= 50; i++) {
      queue.add(claim(OTHER, i));
    }
    takeTopics(30);
    for (int i = 1; i <= 50; i++) {
      queue.add(claim(FREE, 100 + i));
    }
    assertThat(takeTopics(20)).containsEntry(FREE, 15L).containsEntry(OTHER, 5L);
  }

  @Test
  void take_topicThatJoinsFirstAfterALull_owesAndIsOwedNothing() throws InterruptedException {
    for (int i = 1; i <= 50; i++) {
      queue.add(claim(OTHER, i));
    }
    takeTopics(50);
    for (int i = 1; i <= 40; i++) {
      queue.add(claim(FREE, 100 + i));
      queue.add(claim(OTHER, 200 + i));
    }
    assertThat(takeTopics(40)).containsEntry(FREE, 30L).containsEntry(OTHER, 10L);
  }

  private Map<Topic, Long> takeTopics(int count) throws InterruptedException {
    return takeTopics(queue, count);
  }

  private static Map<Topic, Long> takeTopics(DispatchQueue queue, int count)
      throws InterruptedException {
    Map<Topic, Long> taken = new HashMap<>();
    for (int i = 0; i < count; i++) {
      Topic topic = Objects.requireNonNull(queue.take()).topic();
      queue.ended(topic);
      taken.merge(topic, 1L, Long::sum);
    }
    return taken;
  }

  @Test
  void remove_takenBack_countsNoLonger() {
    List<Claim> both = List.of(claim(LIMITED, 1), claim(LIMITED, 2));
    both.forEach(queue::add);
    queue.add(claim(FREE, 3));
    assertThat(queue.waiting(LIMITED)).isEqualTo(2);
    assertThat(queue.runnable()).isEqualTo(2);
    queue.remove(both);
    assertThat(queue.waiting(LIMITED)).isZero();
    assertThat(queue.waiting(FREE)).isOne();
    assertThat(queue.runnable()).isOne();
  }

  @Test
  void take_aliasOfALimitedTopic_sharesItsThreads() throws InterruptedException {
    DispatchQueue shared =
        new DispatchQueue(
            topic -> 1,
            DispatchQueueTest::unlimited,
            topic -> 1,
            topic -> topic.equals(OTHER) ? LIMITED : topic);
    shared.add(claim(LIMITED, 1));
    shared.add(claim(OTHER, 2));
    assertThat(shared.runnable()).isOne();
    assertThat(shared.take()).isEqualTo(claim(LIMITED, 1));
    assertThat(shared.runnable()).isZero();
    assertThat(shared.running(LIMITED)).isOne();
    assertThat(shared.running(OTHER)).as("by either name").isOne();
    assertThat(shared.waiting(LIMITED)).isOne();
    assertThat(shared.waiting(OTHER)).isOne();
    shared.ended(LIMITED);
    assertThat(shared.take()).isEqualTo(claim(OTHER, 2));
    assertThat(shared.running(OTHER)).isOne();
  }

  @Test
  void take_aliases_getOneTopicsTurns() throws InterruptedException {
    DispatchQueue shared =
        new DispatchQueue(
            topic -> 10,
            DispatchQueueTest::unlimited,
            topic -> 1,
            topic -> topic.equals(OTHER) ? LIMITED : topic);
    for (int i = 1; i <= 40; i++) {
      shared.add(claim(LIMITED, i));
      shared.add(claim(OTHER, 100 + i));
      shared.add(claim(FREE, 200 + i));
    }
    assertThat(takeTopics(shared, 20))
        .containsEntry(FREE, 10L)
        .containsEntry(LIMITED, 5L)
        .containsEntry(OTHER, 5L);
  }

  /** OTHER is a former name of LIMITED, with a limit of its own; LIMITED has none. */
  private static DispatchQueue formerLimitedTo(int former) {
    return new DispatchQueue(
        topic -> 3,
        topic -> topic.equals(OTHER) ? former : Integer.MAX_VALUE,
        topic -> 1,
        topic -> topic.equals(OTHER) ? LIMITED : topic);
  }

  @Test
  void take_formerNameAtItsLimit_isPassedOverAndHoldsTheOtherUpNot() throws InterruptedException {
    DispatchQueue shared = formerLimitedTo(1);
    shared.add(claim(OTHER, 1));
    shared.add(claim(OTHER, 2));
    shared.add(claim(LIMITED, 3));
    shared.add(claim(LIMITED, 4));
    assertThat(shared.runnable()).as("one of the former, both others").isEqualTo(3);
    assertThat(shared.take()).isEqualTo(claim(OTHER, 1));
    assertThat(shared.take()).isEqualTo(claim(LIMITED, 3));
    assertThat(shared.runningUnder(OTHER)).isOne();
    assertThat(shared.waitingUnder(OTHER)).isOne();
    assertThat(shared.runnable()).as("all but the former one").isOne();
    assertThat(shared.take()).isEqualTo(claim(LIMITED, 4));
    assertThat(shared.running(OTHER)).as("by either name").isEqualTo(3);
    shared.ended(LIMITED);
    assertThat(shared.runnable()).as("a thread, and no slot").isZero();
    shared.ended(OTHER);
    assertThat(shared.take()).isEqualTo(claim(OTHER, 2));
  }

  @Test
  void takeMore_ofAName_takesNoneOfAnother() throws InterruptedException {
    DispatchQueue shared = formerLimitedTo(0);
    shared.add(claim(LIMITED, 1));
    shared.add(claim(OTHER, 2));
    shared.add(claim(LIMITED, 3));
    assertThat(shared.take()).isEqualTo(claim(LIMITED, 1));
    assertThat(shared.takeMore(LIMITED, false)).isEqualTo(claim(LIMITED, 3));
    assertThat(shared.takeMore(LIMITED, false)).isNull();
    assertThat(shared.waitingUnder(OTHER)).isOne();
  }

  @Test
  void takeMore_thatLeavesClaimsToIdleThreads_takesOnlyThoseThatTheyMayNotStart()
      throws InterruptedException {
    for (Topic topic : List.of(LIMITED, FREE)) {
      queue.add(claim(topic, 1));
      queue.add(claim(topic, 2));
    }
    assertThat(queue.take()).isEqualTo(claim(LIMITED, 1));
    assertThat(queue.take()).isEqualTo(claim(FREE, 1));
    assertThat(queue.takeMore(FREE, true)).isNull();
    assertThat(queue.takeMore(FREE, false)).isEqualTo(claim(FREE, 2));
    assertThat(queue.takeMore(LIMITED, true)).as("one thread each").isEqualTo(claim(LIMITED, 2));
  }
}
