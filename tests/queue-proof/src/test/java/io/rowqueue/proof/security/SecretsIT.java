package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.read.ListAppender;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.process.Processes;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.WorkerPools;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.slf4j.LoggerFactory;

@QueueTest
@ResourceLock(CapturedLog.LEVELS)
@Tag("ci")
class SecretsIT {

  private static final String WRONG = "Wr0ng/pass?word#of tests";

  @TempDir private Path directory;

  private final QueueDatabase database;

  SecretsIT(QueueDatabase database) {
    this.database = database;
  }

  /** With user and password before the host, where pools and drivers mask least. */
  private static String beforeHost(Accounts account) {
    return account
        .url()
        .replaceFirst("\\?.*", "")
        .replace("//", "//" + account.user() + ":" + Accounts.PASSWORD + "@");
  }

  @Test
  void worker_thatLogsEverything_logsNoPassword() {
    Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    Map<Logger, Level> before = ownLevels(root.getLoggerContext());
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Queue<String> handled = new ConcurrentLinkedQueue<>();
    try (Accounts account = Accounts.with(database, Role.WORKER)) {
      root.detachAndStopAllAppenders();
      root.addAppender(log);
      before.keySet().forEach(each -> each.setLevel(each == root ? Level.TRACE : null));
      MessageProducer.create().enqueue(database.dataSource(), NewMessage.of("t", "p"));
      try (TestWorker worker =
          TestWorker.startAt(
              beforeHost(account),
              config -> config,
              LambdaHandlers.bind("t", String.class, (text, context) -> handled.add(text)))) {
        Await.that("it is handled", Duration.ofSeconds(60), () -> !handled.isEmpty());
        assertThat(worker.get(WorkerConfig.class).toString()).doesNotContain(Accounts.PASSWORD);
      }
      assertThatThrownBy(
              () ->
                  WorkerPools.check(
                      new DatabaseConfig(database.url(), account.user(), Accounts.PASSWORD + "x")))
          .satisfies(failure -> assertThat(everything(failure)).doesNotContain(Accounts.PASSWORD));
    } finally {
      before.forEach(Logger::setLevel);
      root.detachAppender(log);
    }
    List<ILoggingEvent> events = List.copyOf(log.list);
    assertThat(events).anyMatch(event -> event.getLoggerName().contains("hikari"));
    assertThat(events)
        .extracting(SecretsIT::text)
        .noneMatch(text -> text.contains(Accounts.PASSWORD));
  }

  /** Those that log less than the others, or more. */
  private static Map<Logger, Level> ownLevels(LoggerContext context) {
    return context.getLoggerList().stream()
        .filter(logger -> logger.getLevel() != null)
        .collect(Collectors.toMap(logger -> logger, Logger::getLevel));
  }

  private static String text(ILoggingEvent event) {
    String trace =
        event.getThrowableProxy() == null
            ? ""
            : ThrowableProxyUtil.asString(event.getThrowableProxy());
    return event.getFormattedMessage() + trace;
  }

  private static String everything(Throwable failure) {
    java.io.StringWriter text = new java.io.StringWriter();
    failure.printStackTrace(new java.io.PrintWriter(text));
    return text.toString();
  }

  @Test
  void commands_withEverySourceOfThePassword_workAndPrintItNowhere() throws Exception {
    try (Accounts account = Accounts.with(database, Role.OPERATOR)) {
      String bare = database.url().replaceFirst("\\?.*", "");
      Path file = secretFile("password", Accounts.PASSWORD + "\r\n");
      Path config =
          secretFile(
              "config",
              "url=%s\nuser=%s\npassword=%s".formatted(bare, account.user(), Accounts.PASSWORD));
      Map<String, String> named = Map.of("ROWQUEUE_URL", bare, "ROWQUEUE_USER", account.user());
      String environ = "ROWQUEUE_PASSWORD";
      said(0, with(named, environ, Accounts.PASSWORD), "status");
      said(0, with(named, "ROWQUEUE_PASSWORD_FILE", file.toString()), "status");
      said(0, Map.of("ROWQUEUE_CONFIG", config.toString()), "status");
      said(0, Map.of("ROWQUEUE_URL", beforeHost(account)), "status");
      said(0, Map.of("ROWQUEUE_URL", beforeHost(account)), "config check");
      said(0, Map.of("ROWQUEUE_URL", account.url()), "config check");
      said(1, Map.of("ROWQUEUE_URL", beforeHost(account)), "migrate");
    }
  }

  @Test
  void commands_withAWrongPasswordInEveryFormOfUrl_printItNowhere() throws Exception {
    String coded = URLEncoder.encode(WRONG, StandardCharsets.UTF_8).replace("+", "%20");
    String bare = database.url().replaceFirst("\\?.*", "");
    for (String url :
        List.of(
            bare.replace("//", "//ada:" + coded + "@"),
            bare + "?user=ada&password=" + coded,
            bare.replaceFirst(
                "//([^:/]*):(\\d+)/",
                "//address=(host=$1)(port=$2)(user=ada)(password=" + coded + ")/"),
            bare.replace("//", "//ada:" + WRONG + "@"))) {
      Said said = run(Map.of("ROWQUEUE_URL", url), "status");
      assertThat(said.exitCode).as(said.text).isPositive();
      assertThat(said.text).contains("rowqueue: ").doesNotContain(WRONG, coded, "Wr0ng", "pass?w");
    }
  }

  @Test
  void passwords_thatOthersCanRead_areWarnedOf() throws Exception {
    try (Accounts account = Accounts.with(database, Role.OPERATOR)) {
      String bare = database.url().replaceFirst("\\?.*", "");
      Map<String, String> named = Map.of("ROWQUEUE_URL", bare, "ROWQUEUE_USER", account.user());
      Path file = secretFile("open", Accounts.PASSWORD);
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
      Said byFile = run(with(named, "ROWQUEUE_PASSWORD_FILE", file.toString()), "status");
      assertThat(byFile.exitCode).isZero();
      assertThat(byFile.text).contains("the password in " + file + " can be read by every user");
      Said byFlag = run(named, "status --password " + Accounts.PASSWORD);
      assertThat(byFlag.exitCode).isZero();
      assertThat(byFlag.text)
          .contains("a password on the command line can be read by every user of this host")
          .doesNotContain(Accounts.PASSWORD);
    }
  }

  private Path secretFile(String name, String text) throws IOException {
    Path file = Files.writeString(directory.resolve(name), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file;
  }

  private static Map<String, String> with(Map<String, String> all, String name, String value) {
    Map<String, String> more = new java.util.HashMap<>(all);
    more.put(name, value);
    return more;
  }

  private void said(int exitCode, Map<String, String> environment, String line) throws Exception {
    Said said = run(environment, line);
    assertThat(said.exitCode)
        .as("%s: %s", line, said.text)
        .matches(code -> exitCode == 0 ? code == 0 : code > 0);
    assertThat(said.text).isNotEmpty().doesNotContain(Accounts.PASSWORD, "can be read by");
  }

  private record Said(int exitCode, String text) {}

  /** As it is shipped, saying all that it can. */
  private Said run(Map<String, String> environment, String line) throws Exception {
    Path output = directory.resolve("output");
    ProcessBuilder builder =
        Processes.command("", (line + " --verbose --log-level TRACE").split(" "))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().remove("ROWQUEUE_URL");
    builder.environment().putAll(environment);
    int exitCode = Processes.ended(builder.start());
    return new Said(exitCode, Files.readString(output));
  }
}
