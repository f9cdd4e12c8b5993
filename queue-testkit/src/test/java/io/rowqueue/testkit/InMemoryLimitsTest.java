package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.operate.TopicInfo;
import io.rowqueue.operate.Topics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;

/** What operators set for topics, as the worker of a queue in memory heeds it. */
class InMemoryLimitsTest {

  private static final Topic ORDER = new Topic("order");
  private static final Duration TENTH = Duration.ofMillis(100);

  private final List<String> handled = new ArrayList<>();

  private InMemoryQueue queue(HandlerSettings settings) {
    Module orders =
        LambdaHandlers.bind(
            "order", String.class, (order, context) -> handled.add(order), settings);
    Module mails = LambdaHandlers.bind("mail", String.class, (mail, context) -> handled.add(mail));
    return InMemoryQueue.of(orders, mails);
  }

  private InMemoryQueue queue() {
    return queue(HandlerSettings.defaults());
  }

  private static Topics topics(InMemoryQueue queue) {
    return queue.get(Topics.class);
  }

  private static void enqueue(InMemoryQueue queue, int count) {
    IntStream.range(0, count).forEach(i -> queue.enqueue("order", "order " + i));
  }

  @Test
  void limitAtOnce_holdsNothingUp_ofAWorkerThatHandlesOneAfterTheOther() {
    InMemoryQueue queue = queue();
    topics(queue).change(ORDER, set -> set.withMaxInFlight(1));
    enqueue(queue, 3);
    assertThat(queue.drain()).hasSize(3);
    assertThat(queue).isEmpty();
  }

  @Test
  void limitAtOnce_countsWhatADeadWorkerHolds_untilItsLeaseIsOver() {
    InMemoryQueue queue = queue();
    topics(queue).change(ORDER, set -> set.withMaxInFlight(1));
    enqueue(queue, 2);
    queue.failNext(Fault.CRASH_BEFORE_COMMIT);
    assertThat(TestWorker.hasCrashed(queue.drain())).isTrue();
    handled.clear();
    queue.enqueue("mail", "mail");
    queue.drain();
    assertThat(handled).as("of the other topic only").containsExactly("mail");
    assertThat(queue).hasInFlight(1).hasDepth("order", 1);
    queue.advance(TestWorker.LEASE.plusSeconds(1));
    assertThat(queue.drain()).hasSize(2);
    assertThat(queue).isEmpty();
  }

  @Test
  void placeOfADeadWorker_isFreeOnceItIsReaped_andOthersAreFreeAllTheWhile() {
    InMemoryQueue queue = queue();
    topics(queue).change(ORDER, set -> set.withMaxInFlight(2));
    enqueue(queue, 2);
    queue.failNext(Fault.CRASH_BEFORE_COMMIT);
    queue.drain();
    assertThat(queue.drain()).as("by the second place").hasSize(1);
    topics(queue).change(ORDER, set -> set.withMaxInFlight(1));
    enqueue(queue, 1);
    assertThat(queue.drain()).isEmpty();
    queue.reap();
    assertThat(queue.drain()).hasSize(2);
  }

  /** Notes how large each batch was. */
  private static InMemoryQueue inBatchesOfThree(List<Integer> sizes) {
    return InMemoryQueue.of(
        LambdaHandlers.bindBatch(
            "order",
            String.class,
            batch -> sizes.add(batch.size()),
            HandlerSettings.defaults().withBatchSize(3)));
  }

  @Test
  void batch_takesOnePlace() {
    List<Integer> sizes = new ArrayList<>();
    InMemoryQueue queue = inBatchesOfThree(sizes);
    topics(queue).change(ORDER, set -> set.withMaxInFlight(1));
    enqueue(queue, 4);
    queue.drain();
    assertThat(sizes).containsExactly(3, 1);
  }

  @Test
  void rate_letsDrainEnd_andTheClockLetItGoOn() {
    InMemoryQueue queue = queue();
    topics(queue).change(ORDER, set -> set.withMaxPerSecond(20));
    enqueue(queue, 5);
    queue.enqueue("mail", "mail");
    assertThat(queue.drain()).as("a tenth of a second's, and the other topic's").hasSize(3);
    assertThat(queue.drain()).isEmpty();
    assertThat(queue.runOnce()).isEmpty();
    assertThat(queue).hasDepth("order", 3);
    queue.advance(TENTH);
    assertThat(queue.drain()).hasSize(2);
    queue.advance(TENTH);
    assertThat(queue.drain()).hasSize(1);
    assertThat(queue).isEmpty();
  }

  @Test
  void rateThatIsTakenAway_holdsNobodyUp() {
    InMemoryQueue queue = queue();
    topics(queue).change(ORDER, set -> set.withMaxPerSecond(1));
    enqueue(queue, 5);
    assertThat(queue.drain()).hasSize(1);
    topics(queue).change(ORDER, set -> set.withMaxPerSecond(null));
    assertThat(queue.drain()).hasSize(4);
  }

  @Test
  void rate_cutsABatchToWhatMayBegin() {
    List<Integer> sizes = new ArrayList<>();
    InMemoryQueue queue = inBatchesOfThree(sizes);
    topics(queue).change(ORDER, set -> set.withMaxPerSecond(50));
    enqueue(queue, 6);
    queue.drain();
    assertThat(sizes).containsExactly(3, 2);
    queue.advance(TENTH);
    queue.drain();
    assertThat(sizes).containsExactly(3, 2, 1);
  }

  @Test
  void anotherAttempt_isBegunByTheRate_too() {
    InMemoryQueue queue =
        InMemoryQueue.of(
            LambdaHandlers.bind(
                "order",
                String.class,
                (order, context) -> {
                  if (context.attempt() == 1) {
                    throw new IllegalStateException("not yet");
                  }
                },
                HandlerSettings.defaults().withRetryPolicy(RetryPolicy.fixed(TENTH))));
    topics(queue).change(ORDER, set -> set.withMaxPerSecond(1));
    enqueue(queue, 1);
    assertThat(queue.drain()).extracting(HandledMessage::outcome).containsExactly(Outcome.RETRIED);
    queue.advance(TENTH);
    assertThat(queue.drain()).as("due, and not by the rate").isEmpty();
    queue.advance(Duration.ofMillis(900));
    assertThat(queue.drain()).extracting(HandledMessage::outcome).containsExactly(Outcome.ACKED);
  }

  @Test
  void pausedTopic_isLeftAlone_untilItIsResumed() {
    InMemoryQueue queue = queue();
    topics(queue).pause(ORDER);
    enqueue(queue, 1);
    queue.enqueue("mail", "mail");
    queue.drain();
    assertThat(handled).containsExactly("mail");
    assertThat(topics(queue).list())
        .extracting(TopicInfo::topic, TopicInfo::paused)
        .containsExactly(Tuple.tuple("order", true));
    topics(queue).resume(ORDER);
    queue.drain();
    assertThat(handled).containsExactly("mail", "order 0");
  }
}
