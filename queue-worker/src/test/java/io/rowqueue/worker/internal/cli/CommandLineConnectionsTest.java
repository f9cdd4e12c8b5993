package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.internal.cli.CommandDatabase.CommandLineConnections;
import java.time.Duration;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class CommandLineConnectionsTest {

  private static Properties settings(String url) {
    return new CommandLineConnections(
            new DatabaseConfig(url, "app", "s3cret"), Duration.ofSeconds(60))
        .settings();
  }

  @Test
  void settings_absentFromTheUrl_getDefaults() {
    assertThat(settings("jdbc:mysql://h/a"))
        .containsEntry("connectTimeout", "5000")
        .containsEntry("socketTimeout", "60000")
        .containsEntry("tcpKeepAlive", "true")
        .containsEntry("user", "app")
        .doesNotContainKey("password");
  }

  @Test
  void settings_ofTheUrl_stayInAnyCase() {
    assertThat(settings("jdbc:mysql://h/a?ConnectTimeout=1&socketTimeout=2"))
        .doesNotContainKeys("connectTimeout", "socketTimeout")
        .containsKey("tcpKeepAlive");
  }

  @Test
  void toString_tellsNeitherUserNorPassword() {
    DatabaseConfig config = new DatabaseConfig("jdbc:mysql://u:s3cret@h/a?password=s3cret", "", "");
    assertThat(new CommandLineConnections(config, Duration.ZERO))
        .hasToString("CommandLineConnections[//h/a]");
  }
}
