package io.rowqueue.internal.settle;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.operate.AttemptError;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class AttemptErrorTest {

  /** Takes its words from a connection that is gone, say. */
  private static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("gone");
    }
  }

  @Test
  void error_ofAnExceptionThatThrowsWhenAsked_isWhatCanBeHad() {
    AttemptError error = AttemptError.of(new Mute());
    assertThat(error.type()).isEqualTo(Mute.class.getName());
    assertThat(error.message())
        .isEqualTo("(its message cannot be read: java.lang.IllegalStateException)");
    assertThat(error.trace()).contains("(the trace ends here: java.lang.IllegalStateException)");
  }

  @Test
  void error_ofAnyLength_isCutToWhatTheColumnsHold() {
    Throwable failure = new IllegalStateException("x".repeat(10_000_000));
    for (int i = 0; i < 50; i++) {
      failure = new IllegalStateException("\uD83D\uDE00".repeat(5_000), failure);
    }
    AttemptError error = AttemptError.of(failure);
    assertThat(error.message()).hasSizeBetween(3_998, 4_000).endsWith("\uD83D\uDE00…");
    assertThat(error.trace()).hasSizeBetween(15_998, 16_000).endsWith("…");
    assertThat(bytes(error.message())).as("TEXT").isLessThan(65_536);
    assertThat(bytes(error.trace())).as("MEDIUMTEXT").isLessThan(1 << 24);
  }

  private static int bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  @Test
  void error_ofAnOrdinaryException_isWhole() {
    AttemptError error = AttemptError.of(new IllegalStateException("no stock"));
    assertThat(error.summary()).isEqualTo("java.lang.IllegalStateException: no stock");
    assertThat(error.trace())
        .startsWith("java.lang.IllegalStateException: no stock")
        .contains("\tat io.rowqueue.internal.settle.AttemptErrorTest");
    assertThat(AttemptError.of(new NullPointerException()).message()).isEmpty();
  }
}
