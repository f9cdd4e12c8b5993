package io.rowqueue.testkit;

import static io.rowqueue.testkit.MessageFixtures.aMessage;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.NewMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MessageFixturesTest {

  @Test
  void aMessage_withoutMore_isValidAndDueAtOnce() {
    NewMessage message = aMessage().build();

    assertThat(message.topic().name()).isEqualTo(MessageFixtures.TOPIC);
    assertThat(message.payload()).isEqualTo(MessageFixtures.PAYLOAD);
    assertThat(message.dueAt()).isNull();
    assertThat(message.delay()).isZero();
  }

  @Test
  void aMessage_partsInAnyOrder_keepsThemAll() {
    Instant due = Instant.parse("2027-03-04T05:06:07Z");

    NewMessage message =
        aMessage()
            .withPriority(-3)
            .withHeader("a", "1")
            .withDueAt(due)
            .withPayload(42)
            .onTopic("email.send")
            .withHeader("b", "2")
            .build();

    assertThat(message.topic().name()).isEqualTo("email.send");
    assertThat(message.payload()).isEqualTo(42);
    assertThat(message.priority()).isEqualTo(-3);
    assertThat(message.dueAt()).isEqualTo(due);
    assertThat(message.headers()).isEqualTo(Map.of("a", "1", "b", "2"));
  }

  @Test
  void aMessage_delayBeforeTopic_staysDelayed() {
    NewMessage message = aMessage().withDelay(Duration.ofMinutes(5)).onTopic("t").build();

    assertThat(message.delay()).isEqualTo(Duration.ofMinutes(5));
    assertThat(message.dueAt()).isNull();
  }

  @Test
  void messages_three_haveTheirPlacesAsPayloads() {
    assertThat(MessageFixtures.messages("t", 3, place -> place))
        .extracting(NewMessage::payload)
        .containsExactly(0, 1, 2);
  }

  @Test
  void context_withoutTransaction_refusesTheConnectionAndSaysHow() {
    assertThatThrownBy(() -> FakeContext.aContext().transaction())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("withTransaction");
  }

  @Test
  void context_idempotencyKey_isTheSameAtEveryAttempt() {
    FakeContext context = FakeContext.aContext().withId(9);

    assertThat(context.withAttempt(4).idempotencyKey()).isEqualTo(context.idempotencyKey());
    assertThat(context.withId(10).idempotencyKey()).isNotEqualTo(context.idempotencyKey());
  }
}
