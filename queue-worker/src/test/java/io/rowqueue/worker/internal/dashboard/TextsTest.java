package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TextsTest {

  @Test
  void rate_thatIsVerySmall_isNotShownAsZero() {
    assertThat(Texts.rate(0)).isEqualTo("0");
    assertThat(Texts.rate(0.0499)).isEqualTo("<0.1");
    assertThat(Texts.rate(0.05)).isEqualTo("0.1");
    assertThat(Texts.rate(12.4)).isEqualTo("12");
  }

  @Test
  void action_ofTheAuditLog_isWords() {
    assertThat(Texts.action("topic.purge")).isEqualTo("purge topic");
    assertThat(Texts.action("dead-letter.redrive-all")).isEqualTo("redrive all dead letters");
    assertThat(Texts.action("dead-letters redrive")).isEqualTo("dead-letters redrive");
    assertThat(Texts.action("POST /topics/pause")).isEqualTo("POST /topics/pause");
  }
}
