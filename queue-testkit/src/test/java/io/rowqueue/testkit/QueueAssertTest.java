package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.testkit.QueuedMessage.State;
import io.rowqueue.testkit.QueuedMessage.When;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class QueueAssertTest {

  record Mail(String to, int copies) {}

  private static final Mail ADA = new Mail("ada", 1);
  private static final String ADA_JSON = "{ \"copies\": 1, \"to\": \"ada\" }";

  private final QueueContents queue =
      new QueueContents(
          List.of(
              message(1, "mail", State.AVAILABLE, When.NOW, ADA_JSON),
              message(2, "mail", State.SCHEDULED, in(Duration.ofMinutes(5)), ADA_JSON),
              message(3, "order", State.IN_FLIGHT, When.NOW, "[7]")),
          List.of(
              new DeadMessage(
                  4,
                  "order",
                  DeadLetterReason.PERMANENT_FAILURE,
                  "no such sku",
                  1,
                  Map.of(),
                  bytes("\"tea\""))));

  private static QueuedMessage message(
      long id, String topic, State state, When when, String payload) {
    return new QueuedMessage(
        id, topic, state, when, 0, null, Map.of("shop", "north"), bytes(payload), 0, "");
  }

  private static When in(Duration delay) {
    return new When(delay, null);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void sentence_thatIsTrue_passes() {
    assertThat(queue)
        .hasEnqueued("mail")
        .withPayload(ADA)
        .withPayload(Mail.class, mail -> mail.copies() == 1)
        .withHeader("shop", "north")
        .times(2)
        .scheduledIn(Duration.ofMinutes(5))
        .scheduledBetween(Duration.ofMinutes(4), Duration.ofMinutes(6))
        .once();
    assertThat(queue).hasEnqueued("mail").times(2).hasEnqueued("order").once().andNothingElse();
    assertThat(queue).hasDepth(2).hasDepth("mail", 2).hasInFlight(1).hasNothingOf("log");
    assertThat(queue)
        .hasDeadLetter("order")
        .withReason(DeadLetterReason.PERMANENT_FAILURE)
        .withDetail("sku")
        .withPayload("tea")
        .times(1);
  }

  @Test
  void sentence_thatIsNot_saysWhatThereIs() {
    fails(
        () -> assertThat(queue).hasEnqueued("mail").withPayload(new Mail("bob", 1)),
        "expected a message to 'mail' with payload {\"to\":\"bob\",\"copies\":1}, and there is"
            + " none",
        "message 1 of 'mail', available, headers {shop=north}: { \"copies\": 1, \"to\": \"ada\" }",
        "message 2 of 'mail', scheduled in 5 min",
        "dead letter 4 of 'order', permanent-failure (no such sku), failed 1 times: \"tea\"");
    fails(
        () -> assertThat(queue).hasEnqueued("mail").once(),
        "expected a message to 'mail' 1 times, and there are 2");
    fails(
        () -> assertThat(queue).hasEnqueued("mail").andNothingElse(),
        "expected nothing else in the queue than a message to 'mail'",
        "message 3 of 'order', in flight");
    fails(() -> assertThat(queue).isEmpty(), "expected no message, and there are 3");
    fails(
        () -> assertThat(queue).hasInFlight(2),
        "expected 2 times a message in flight",
        "there is 1");
    fails(() -> assertThat(queue).hasNoDeadLetters(), "expected no dead letter", "dead letter 4");
    fails(
        () -> assertThat(queue).hasDeadLetter("mail"),
        "expected a dead letter of 'mail', and there is none");
    fails(
        () -> assertThat(queue).hasDeadLetter("order").withReason(DeadLetterReason.TOO_LARGE),
        "with reason too-large");
  }

  @Test
  void contents_ofAnEmptyQueue_areNothing() {
    QueueContents empty = new QueueContents(List.of(), List.of());
    assertThat(empty).isEmpty().hasNoDeadLetters();
    fails(() -> assertThat(empty).hasEnqueued("mail"), "the queue has:", "nothing");
  }

  private static void fails(ThrowingCallable assertion, String... texts) {
    assertThatThrownBy(assertion).isInstanceOf(AssertionError.class).hasMessageContainingAll(texts);
  }
}
