package io.rowqueue.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
  void reservedNames_areAllOfOnePrefix() {
    assertThat(Headers.isReserved(Headers.WRAPPED)).isTrue();
    assertThat(Headers.isReserved(Headers.VERSION)).isTrue();
  }
}
