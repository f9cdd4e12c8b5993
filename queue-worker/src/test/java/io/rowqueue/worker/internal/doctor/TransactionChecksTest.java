package io.rowqueue.worker.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** A history as long as that takes a test server hours. */
class TransactionChecksTest {

  @Test
  void history_aboveItsThreshold_isAWarningThatNamesItsLength() {
    Finding finding = TransactionChecks.history(1_000_001L);
    assertThat(finding.severity()).isEqualTo(Severity.WARNING);
    assertThat(finding.subject()).isEqualTo("undo-log");
    assertThat(finding.found()).startsWith("1,000,001 undo records wait for purge, so claims");
    assertThat(finding.advice()).contains("INNODB_TRX");
  }

  @Test
  void history_upToItsThreshold_isFine() {
    assertThat(TransactionChecks.history(1_000_000L))
        .isEqualTo(Finding.ok("undo-log", "1,000,000 undo records wait for purge"));
  }

  @Test
  void history_thatTheServerDoesNotCount_isUnknown() {
    assertThat(TransactionChecks.history(null).severity()).isEqualTo(Severity.UNKNOWN);
  }
}
