package io.rowqueue.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.HandlerSettings;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a binding may say of the time that its handler may ask for. */
class LongestTimeoutTest {

  private static final HandlerSettings MINUTE =
      HandlerSettings.defaults().withTimeout(Duration.ofMinutes(1));

  @Test
  void longest_isTheMostTime() {
    HandlerPolicy policy = resolve(MINUTE.withLongestTimeout(Duration.ofHours(2)));
    assertThat(policy.timeout()).isEqualTo(Duration.ofMinutes(1));
    assertThat(policy.mostTime()).isEqualTo(Duration.ofHours(2));
  }

  @Test
  void withoutIt_theTimeoutIsTheMostTime() {
    assertThat(resolve(MINUTE).mostTime()).isEqualTo(Duration.ofMinutes(1));
  }

  @Test
  void belowTheTimeout_isRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> resolve(MINUTE.withLongestTimeout(Duration.ofSeconds(59))))
        .withMessageContaining("59 s")
        .withMessageContaining("1 min");
  }

  @Test
  void ofASharedCommit_isRefused() {
    HandlerSettings shared = MINUTE.withLongestTimeout(Duration.ofHours(1)).withSharedCommit();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> resolve(shared))
        .withMessageContaining("withSharedCommit()");
  }

  @Test
  void nothing_isRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> MINUTE.withLongestTimeout(Duration.ZERO));
  }

  private static HandlerPolicy resolve(HandlerSettings settings) {
    return HandlerPolicy.of(settings, HandlerDefaults.defaults(), HandlerKind.MESSAGE);
  }
}
