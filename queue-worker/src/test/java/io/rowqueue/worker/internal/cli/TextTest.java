package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.cli.Converters.DurationText;
import io.rowqueue.worker.internal.cli.Converters.Fingerprint;
import io.rowqueue.worker.internal.cli.Converters.SizeText;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class TextTest {

  @ParameterizedTest
  @CsvSource({
    "500ms, PT0.5S",
    "30s, PT30S",
    "5m, PT5M",
    "1h, PT1H",
    "2d, PT48H",
    "1h30m, PT1H30M",
    "0, PT0S",
    "PT5M, PT5M",
    "p1d, P1D",
    "10S, PT10S"
  })
  void duration_asPeopleWriteIt_isRead(String text, Duration expected) {
    assertThat(new DurationText().convert(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"5", "s", "five minutes", "5 m", "-", "1w", "9999999999999999d", "40000d"})
  void duration_withoutAUnitOrSense_isRefused(String text) {
    assertThatThrownBy(() -> new DurationText().convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining(text);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "65536, 65536",
    "16k, 16384",
    "4m, 4194304",
    "4MiB, 4194304",
    "1g, 1073741824"
  })
  void size_asPeopleWriteIt_isRead(String text, long expected) {
    assertThat(new SizeText().convert(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "k", "1t", "-1", "1.5m", "999999999999999999g"})
  void size_withoutSense_isRefused(String text) {
    assertThatThrownBy(() -> new SizeText().convert(text))
        .isInstanceOf(TypeConversionException.class);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE})
  void group_asItIsPrinted_isRead(long fingerprint) {
    String group = DeadLetterTexts.group(fingerprint);
    assertThat(group).hasSize(16);
    assertThat(new Fingerprint().convert(group)).isEqualTo(fingerprint);
  }

  @Test
  void help_defaults_areTheWorkersOwn() {
    WorkerConfig defaults = WorkerConfig.defaults(new DatabaseConfig("jdbc:mysql://h/a", "", ""));
    ProgramRun program = new ProgramRun();
    program.run("run", "--help");
    String help = program.out().replaceAll("\\s+", " ");
    assertThat(help)
        .contains(
            "handler threads, 1 to 1000 (default: %d)".formatted(defaults.threads()),
            "(default: %s). --lease-renew-interval"
                .formatted(DurationText.of(defaults.leaseDuration())),
            "third of the lease, %s)".formatted(DurationText.of(defaults.leaseRenewInterval())),
            "polls for messages (default: %s)".formatted(DurationText.of(defaults.pollInterval())),
            "being handled; 1 to 10000 (default: %d)".formatted(defaults.prefetchCount()),
            "in memory, at least 1m (default: %s)".formatted(SizeText.of(defaults.prefetchBytes())),
            "(the worker died) after which a message is dead-lettered (default: %d)"
                .formatted(defaults.maxLostClaims()),
            "handlers (default: %s)".formatted(DurationText.of(defaults.shutdownTimeout())),
            "failed attempts after which a message is dead-lettered, unless the handler's binding sets it (default: %d)"
                .formatted(defaults.handlers().maxAttempts()),
            "one handler call, unless the handler's binding sets it (default: %s)"
                .formatted(DurationText.of(defaults.handlers().timeout())),
            "payload size (default: %s)".formatted(SizeText.of(defaults.limits().payloadBytes())),
            "as JSON (default: %s)".formatted(SizeText.of(defaults.limits().headersBytes())))
        .contains("Exit codes:", "130, 143");
  }
}
