package io.rowqueue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.ClaimSettings.Kind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StrategyKindTest {

  @ParameterizedTest
  @CsvSource({
    "9.7.4, SKIP_LOCKED",
    "8.0.31-0ubuntu0.22.04.1, SKIP_LOCKED",
    "8.0.1, SKIP_LOCKED",
    "8.0.0-dmr, UPDATE_LIMIT",
    "8.0.mysql_aurora.3.04.0, UPDATE_LIMIT",
    "8.4, SKIP_LOCKED",
    "5.7.44-log, UPDATE_LIMIT",
    "10.6.0-MariaDB, SKIP_LOCKED",
    "11.4.5-MariaDB-log, SKIP_LOCKED",
    "5.5.5-10.11.2-MariaDB, SKIP_LOCKED",
    "10.5.23-MariaDB, UPDATE_LIMIT",
    "5.5.5-10.5.23-mariadb-1:10.5.23, UPDATE_LIMIT",
    "unknown, UPDATE_LIMIT"
  })
  void bestOn_version_isWhatThatServerHas(String version, Kind best) {
    assertThat(ClaimStrategy.bestOn(version)).isEqualTo(best);
  }
}
