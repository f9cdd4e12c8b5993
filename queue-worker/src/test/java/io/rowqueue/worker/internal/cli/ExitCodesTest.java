package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.spi.KeysetException;
import org.junit.jupiter.api.Test;

/** Supervisors start again what may go well the next time, and leave what will not. */
class ExitCodesTest {

  @Test
  void of_aKeyset_tellsAwayFromBroken() {
    assertThat(ExitCodes.of(new KeysetException("the key service is away", true))).isEqualTo(3);
    assertThat(ExitCodes.of(new KeysetException("no keyset", false))).isEqualTo(4);
  }
}
