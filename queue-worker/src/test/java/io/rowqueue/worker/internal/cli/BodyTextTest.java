package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.operate.MessageDetails.StoredBody;
import io.rowqueue.worker.internal.cli.MessageTexts.BodyText;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An operator sees what was done to a payload without a key for it. */
class BodyTextTest {

  private static final byte[] SEALED = {1, 0x1a, 0x2b, 0x3c, 0x4d, 9, 9};

  private static @Nullable String text(@Nullable String headers) {
    return BodyText.wrappedBy(new StoredBody(SEALED, headers));
  }

  private static @Nullable String marked(String mark) {
    return text("{\"rowqueue-wrapped\":\"" + mark + "\"}");
  }

  @Test
  void of_wrappedPayload_namesWrappersAndTheOutermostKey() {
    assertThat(marked("zstd")).isEqualTo("zstd");
    assertThat(marked("sealed")).isEqualTo("sealed with key 0x1a2b3c4d");
    assertThat(marked("zstd,sealed")).isEqualTo("zstd,sealed with key 0x1a2b3c4d");
    assertThat(marked("sealed,mine")).isEqualTo("sealed,mine");
    assertThat(marked("unsealed")).isEqualTo("unsealed");
  }

  @Test
  void of_whatSqlWrote_isShownOrLeftOut() {
    assertThat(text(null)).isNull();
    assertThat(text("{\"mine\":\"zstd\"}")).isNull();
    assertThat(text("no headers")).isNull();
    assertThat(marked("\\u001b[31m")).doesNotContain("\u001b");
    byte[] noKey = {'{', '}'};
    assertThat(BodyText.wrappedBy(new StoredBody(noKey, "{\"rowqueue-wrapped\":\"sealed\"}")))
        .isEqualTo("sealed with no key");
  }
}
