package io.rowqueue.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serial;
import org.junit.jupiter.api.Test;

class FailureTextTest {

  private static final class Mute extends RuntimeException {

    @Serial private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("gone");
    }
  }

  @Test
  void text_ofWhateverIsThrown_isOneShortLine() {
    assertThat(FailureText.of(new IllegalStateException("x".repeat(1_000_000))))
        .hasSizeLessThan(5_000);
    assertThat(FailureText.of(new IllegalStateException("outer", new Mute())))
        .isEqualTo(IllegalStateException.class.getName());
  }

  @Test
  void text_withControlCharacters_hasNone() {
    assertThat(FailureText.of(new IllegalStateException("\u001b[2Jno\tgo\u0007od")))
        .isEqualTo(" [2Jno go od");
  }
}
