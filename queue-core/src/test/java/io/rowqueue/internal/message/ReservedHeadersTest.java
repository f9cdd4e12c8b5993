package io.rowqueue.internal.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.NewMessage;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nobody but RowQueue writes what its readers go by. */
class ReservedHeadersTest {

  @ParameterizedTest
  @ValueSource(strings = {"rowqueue-", "rowqueue-wrapped", "rowqueue-version", "RowQueue-Mine"})
  void withHeader_reservedName_isRefusedAndNamed(String name) {
    NewMessage message = NewMessage.of("mail.send", "hello");
    assertThatThrownBy(() -> message.withHeader(name, "1"))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("'" + name + "'")
        .hasMessageContaining("'mail.send'")
        .hasMessageContaining("choose another");
  }

  @ParameterizedTest
  @ValueSource(strings = {"rowqueue", "rowqueue_version", "x-rowqueue-version", ""})
  void withHeader_anyOtherName_isTaken(String name) {
    assertThat(NewMessage.of("mail.send", "hello").withHeader(name, "1").headers())
        .containsEntry(name, "1");
  }

  @Test
  void withHeaders_ofAHandledMessage_forwardsAllButReservedOnes() {
    NewMessage forwarded =
        NewMessage.of("mail.send", "hello")
            .withHeader("mine", "1")
            .withHeaders(Map.of("trace", "t", "mine", "2", Headers.WRAPPED, "zstd"));
    assertThat(forwarded.headers()).containsOnly(Map.entry("trace", "t"), Map.entry("mine", "2"));
  }

  @Test
  void withPayloadVersion_isTheVersionsOwnHeader() {
    NewMessage message = NewMessage.of("mail.send", new byte[1]);
    assertThat(message.withPayloadVersion(3).headers()).containsEntry(Headers.VERSION, "3");
    for (int version : new int[] {0, -1, 10_000}) {
      assertThatThrownBy(() -> message.withPayloadVersion(version))
          .isInstanceOf(InvalidMessageException.class)
          .hasMessageContaining("between 1 and 9,999");
    }
  }

  @Test
  void reservedNames_areAllOfOnePrefix() {
    assertThat(Headers.isReserved(Headers.WRAPPED)).isTrue();
    assertThat(Headers.isReserved(Headers.VERSION)).isTrue();
  }
}
