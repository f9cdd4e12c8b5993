package io.rowqueue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageLimits;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What a producer gives has an end everywhere, and beyond it nothing is written. */
class MessageLimitsTest {

  private static final MessageLimits LIMITS = new MessageLimits(1_000, 100);

  private static EncodedMessage encoded(NewMessage message) {
    return new Encoder(PayloadCodec.json(), Wrapping.none(), LIMITS).row(message);
  }

  private static NewMessage message() {
    return NewMessage.of("t", new byte[1_000]);
  }

  private static void refused(String words, Runnable action) {
    assertThatThrownBy(action::run)
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining(words);
  }

  @Test
  void payload_atTheLimitAndAboveIt_isTakenAndRefused() {
    assertThat(encoded(message()).payload()).hasSize(1_000);
    refused("over the limit of 1,000", () -> encoded(NewMessage.of("t", new byte[1_001])));
  }

  @Test
  void headers_ofAnySizeOrNumber_haveOneLimitInBytes() {
    refused("over the limit of 100", () -> encoded(message().withHeader("a", "b".repeat(100))));
    refused("over the limit of 100", () -> encoded(message().withHeader("a", "\u00e9".repeat(50))));
    NewMessage many = message();
    for (int i = 0; i < 30; i++) {
      many = many.withHeader("h" + i, "");
    }
    NewMessage all = many;
    refused("over the limit of 100", () -> encoded(all));
    assertThat(encoded(message().withHeader("a", "b".repeat(92))).headers()).hasSize(100);
  }

  @Test
  void priorityDelayAndDueTime_outsideTheirRanges_areRefused() {
    refused("between -128 and 127", () -> message().withPriority(128));
    refused("between -128 and 127", () -> message().withPriority(Integer.MIN_VALUE));
    refused("100 years", () -> message().withDelay(Duration.ofSeconds(Long.MAX_VALUE)));
    refused("100 years", () -> message().withDelay(Duration.ofNanos(-1)));
    refused("9999-12-31", () -> message().withDueAt(Instant.MAX));
    assertThat(message().withDueAt(Instant.MIN).dueAt()).isEqualTo(Instant.EPOCH);
  }

  @Test
  void lockId_ofAnyHost_isOneThatTheServersTakeAsALocksName() {
    for (String host :
        new String[] {"", "a".repeat(300), "H\u00f6st'; --", "\ud83d\ude00", "a\u0000b"}) {
      String value = LockId.create(host, Long.MAX_VALUE).value();
      assertThat(value).hasSizeLessThanOrEqualTo(64).matches("[a-z0-9._-]+");
      assertThat(value).contains("-" + Long.MAX_VALUE + "-");
    }
  }
}
