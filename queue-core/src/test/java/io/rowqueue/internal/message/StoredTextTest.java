package io.rowqueue.internal.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.Deduplication;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.NewMessage;
import io.rowqueue.spi.PayloadCodec;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Texts that have no bytes in UTF-8 are refused by name, wherever a producer may give one. */
class StoredTextTest {

  private static final String PAIR = "\uD83D\uDE00";
  private static final String HALF = PAIR.substring(0, 1);
  private static final String OTHER_HALF = PAIR.substring(1) + "x";

  private static void assertRefused(String what, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining(what)
        .hasMessageContaining("half of a surrogate pair");
  }

  @Test
  void halfOfACharacter_isRefused() {
    NewMessage message = NewMessage.of("order", 1);
    assertRefused("the ordering key of a message to 'order'", () -> message.withOrderingKey(HALF));
    assertRefused("the ordering key of a message to 'order'", () -> message.withLimitKey(HALF));
    assertRefused("a deduplication key", () -> Deduplication.whileAlive(OTHER_HALF));
    assertRefused("the name of a batch", () -> BatchSettings.named(HALF));
    assertRefused("the name of a chain", () -> Chain.of(message).named(OTHER_HALF));
    assertRefused("header 'name'", () -> Headers.toJson(Map.of("name", HALF)));
    assertRefused("the name of a header", () -> Headers.toJson(Map.of(OTHER_HALF, "value")));
  }

  @Test
  void wholeCharacters_areTaken() {
    assertThat(NewMessage.of("order", 1).withOrderingKey(PAIR).orderingKey()).isEqualTo(PAIR);
    assertThat(Headers.parse(Headers.toJson(Map.of(PAIR, PAIR)))).containsEntry(PAIR, PAIR);
  }

  /** JSON writes each half by its number, so that the handler gets what was enqueued. */
  @Test
  void halfOfACharacterInAPayload_arrives() {
    byte[] bytes = PayloadCodec.json().encode(HALF);
    assertThat(PayloadCodec.json().decode(bytes, String.class)).isEqualTo(HALF);
  }
}
