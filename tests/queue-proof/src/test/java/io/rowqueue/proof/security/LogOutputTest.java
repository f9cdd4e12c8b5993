package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LogOutputTest {

  private static final String HOSTILE = "a\u001B[2J\u0000b\r\nERROR forged\u0007\tc";

  @Test
  void line_ofAHostileMessageAndError_isOneAndSteersNoTerminal() throws Exception {
    String line = line("logback.xml");
    assertThat(line).endsWith("\n").contains("a [2J b ERROR forged c", "IllegalStateException");
    assertThat(line.strip().chars()).noneMatch(Character::isISOControl);
    assertThat(line).contains(" | at io.rowqueue.proof.security.LogOutputTest");
  }

  @Test
  void object_ofAHostileMessageAndError_isOneLineAndSaysTheSame() throws Exception {
    String line = line("logback-json.xml");
    assertThat(line.strip().chars()).noneMatch(Character::isISOControl);
    JsonNode read = new ObjectMapper().readTree(line);
    assertThat(read.path("formattedMessage").asText()).isEqualTo(HOSTILE);
    assertThat(read.path("level").asText()).isEqualTo("WARN");
    assertThat(read.path("timestamp").asLong()).isPositive();
    assertThat(read.path("mdc").path("message").asText()).isEqualTo("4711");
    assertThat(read.path("throwable").path("className").asText())
        .isEqualTo("java.lang.IllegalStateException");
    assertThat(read.path("throwable").path("message").asText()).isEqualTo(HOSTILE);
    assertThat(read.path("throwable").path("stepArray").size()).isPositive();
    assertThat(read.size()).isEqualTo(7);
  }

  private static String line(String configuration) throws JoranException {
    LoggerContext context = new LoggerContext();
    LogbackMDCAdapter mdc = new LogbackMDCAdapter();
    mdc.put("message", "4711");
    context.setMDCAdapter(mdc);
    JoranConfigurator shipped = new JoranConfigurator();
    shipped.setContext(context);
    shipped.doConfigure(
        Objects.requireNonNull(
            LogOutputTest.class.getResource("/io/rowqueue/worker/internal/cli/" + configuration)));
    try {
      Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
      IllegalStateException failure = new IllegalStateException(HOSTILE);
      LoggingEvent event = new LoggingEvent("x", root, Level.WARN, HOSTILE, failure, new Object[0]);
      ConsoleAppender<ILoggingEvent> console =
          (ConsoleAppender<ILoggingEvent>) root.getAppender("console");
      return new String(console.getEncoder().encode(event), StandardCharsets.UTF_8);
    } finally {
      context.stop();
    }
  }
}
