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
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The log as it is shipped. */
class LogOutputTest {

  private static final String HOSTILE = "a\u001B[2J\u0000b\r\nERROR forged\u0007\tc";

  @Test
  void line_ofAHostileMessageAndError_isOneAndSteersNoTerminal() throws Exception {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    JoranConfigurator shipped = new JoranConfigurator();
    shipped.setContext(context);
    shipped.doConfigure(
        Objects.requireNonNull(
            LogOutputTest.class.getResource("/io/rowqueue/worker/cli/logback.xml")));
    try {
      Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
      IllegalStateException failure = new IllegalStateException(HOSTILE);
      LoggingEvent event = new LoggingEvent("x", root, Level.WARN, HOSTILE, failure, new Object[0]);
      ConsoleAppender<ILoggingEvent> console =
          (ConsoleAppender<ILoggingEvent>) root.getAppender("console");
      String line = new String(console.getEncoder().encode(event), StandardCharsets.UTF_8);
      assertThat(line).endsWith("\n").contains("a [2J b ERROR forged c", "IllegalStateException");
      assertThat(line.strip().chars()).noneMatch(Character::isISOControl);
      assertThat(line).contains(" | at io.rowqueue.proof.security.LogOutputTest");
    } finally {
      context.stop();
    }
  }
}
