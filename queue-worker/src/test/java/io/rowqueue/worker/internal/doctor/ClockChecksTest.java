package io.rowqueue.worker.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClockChecksTest {

  @ParameterizedTest
  @CsvSource({"0, OK", "59, OK", "-59, OK", "60, PROBLEM", "-60, PROBLEM", "32400, PROBLEM"})
  void timeZone_readTooFarFromUtc_isAProblemEitherWay(long seconds, Severity severity) {
    assertThat(ClockChecks.timeZone("UTC", Duration.ofSeconds(seconds)).severity())
        .isEqualTo(severity);
  }

  @Test
  void timeZone_thatIsAProblem_saysHowFarAndWhatTheServerCallsIt() {
    Finding finding = ClockChecks.timeZone("SYSTEM (JST)", Duration.ofHours(9));
    assertThat(finding.subject()).isEqualTo("time-zone");
    assertThat(finding.found())
        .isEqualTo("UTC is read with an offset of 9 h; the session's zone is SYSTEM (JST)");
    assertThat(finding.advice()).contains("--url");
  }
}
