package io.rowqueue.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether systemd supervises this process, by its environment. */
class SystemdModuleTest {

  @Test
  void of_anEnvironmentWithoutSocket_isNothing() {
    assertThat(SystemdModule.of(Map.of("WATCHDOG_USEC", "1000000"))).isEmpty();
    assertThat(SystemdModule.of(Map.of("NOTIFY_SOCKET", ""))).isEmpty();
  }

  @Test
  void of_aNotifiedProcess_hasTheWatchdogsTime() {
    Map<String, String> environment =
        Map.of("NOTIFY_SOCKET", "/run/systemd/notify", "WATCHDOG_USEC", "60000000");
    assertThat(SystemdModule.of(environment).orElseThrow().settings().watchdog())
        .isEqualTo(Duration.ofMinutes(1));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-1", "soon"})
  void of_aWatchdogWithoutTime_isNone(String micros) {
    Map<String, String> environment = Map.of("NOTIFY_SOCKET", "@abstract", "WATCHDOG_USEC", micros);
    assertThat(SystemdModule.of(environment).orElseThrow().settings().watchdog()).isNull();
  }
}
