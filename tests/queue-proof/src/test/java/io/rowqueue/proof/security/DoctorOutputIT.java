package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.process.Checkout;
import io.rowqueue.tests.process.PluginJar;
import io.rowqueue.tests.process.Processes;
import io.rowqueue.tests.process.Step;
import io.rowqueue.tests.process.Step.StepModule;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.internal.grant.Grant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: the doctor as it is shipped finds nothing in a healthy deployment, and every one of ten
 * faults in a broken one, at once and in one run. Method: the shipped jar, with an account that has
 * what {@code grants worker} prints; its output is what {@code docs/doctor} shows, but for the
 * numbers in it. {@code -Drowqueue.docs.update=true} writes it there.
 */
@Tag("ci")
class DoctorOutputIT {

  private static final boolean UPDATE = Boolean.getBoolean("rowqueue.docs.update");
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Path SHOWN = Checkout.home().resolve("docs/doctor");

  private static final Pattern WRONG = Pattern.compile("(?m)^(?:warning|problem) +(\\S+)");

  private static final List<String> FAULTS =
      List.of(
          "max-packet",
          "transactions",
          "privileges",
          "query-plan",
          "workers",
          "connections",
          "topics",
          "subscriptions",
          "schedules",
          "oldest");

  @TempDir private Path folder;

  private final QueueDatabase database = QueueDatabase.create();
  private final Accounts account = Accounts.with(database, Role.WORKER);

  DoctorOutputIT() {
    database.execute("GRANT PROCESS ON *.* TO '" + account.user() + "'@'%'");
  }

  @AfterEach
  void close() {
    account.close();
    database.close();
  }

  @Test
  void doctor_ofAHealthyDeployment_findsNothing() throws Exception {
    PluginJar.pack(StepModule.class, folder.resolve("steps.jar"));
    database.execute(
        "CREATE TABLE effect (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, message_id BIGINT NOT"
            + " NULL, claim INT NOT NULL, pid BIGINT NOT NULL)");
    MessageProducer.create()
        .enqueue(database.dataSource(), NewMessage.of(Step.TOPIC, new Step(Step.What.SUCCEED)));
    Process worker =
        Processes.worker(database.url(), folder)
            .redirectOutput(folder.resolve("worker.log").toFile())
            .start();
    try {
      Await.that("it handles", SOON, () -> database.count("SELECT COUNT(*) FROM effect") == 1);
      Await.that(
          "it has told its threads",
          SOON,
          () -> database.count("SELECT COUNT(threads) FROM queue_worker") == 1);
      Said said = doctor("--all");
      assertThat(said.out()).endsWith("0 problems, 0 warnings, 0 not checked; exit code 0\n");
      assertThat(said.exitCode()).isZero();
      shows("healthy.txt", said.out());
    } finally {
      worker.destroyForcibly().waitFor();
    }
  }

  @Test
  void doctor_ofADeploymentWithTenFaults_findsTheTen() throws Exception {
    seedFaultsOfTheTables();
    try (Connection open = database.connect();
        Statement statement = open.createStatement()) {
      open.setAutoCommit(false);
      statement.execute("INSERT INTO queue_counter (name, slot) VALUES ('left-open', 0)");
      List<Said> said = new ArrayList<>();
      account.without(
          new Grant("INSERT", List.of(), "queue_dead_letter"),
          () ->
              said.add(
                  Await.until(
                      "a doctor to whom the transaction is a long one",
                      SOON,
                      () ->
                          doctor(
                              "--threads=1000",
                              "--max-payload-size=64m",
                              "--warn-transaction-age=1s"),
                      each -> each.out().contains("warning  transactions"))));
      Set<String> found = new TreeSet<>();
      WRONG.matcher(said.get(0).out()).results().forEach(each -> found.add(each.group(1)));
      assertThat(found).as(said.get(0).out()).containsExactlyInAnyOrderElementsOf(FAULTS);
      assertThat(said.get(0).exitCode()).isEqualTo(6);
      shows("broken.txt", said.get(0).out());
    }
  }

  /**
   * A worker lives that has one topic of many, and another has died; the claim key is a false one.
   */
  private void seedFaultsOfTheTables() {
    database.execute(
        worker("web-1-417-c0ffee", "UTC_TIMESTAMP(6) + INTERVAL 1 HOUR"),
        worker("web-2-803-decade", "UTC_TIMESTAMP(6) - INTERVAL 95 SECOND"),
        "INSERT INTO queue_message (topic, payload, created_at, due_at) VALUES ('order.place', '1',"
            + " UTC_TIMESTAMP(6) - INTERVAL 2 HOUR, UTC_TIMESTAMP(6) - INTERVAL 2 HOUR)",
        "INSERT INTO queue_message (topic, payload) VALUES ('order.plcae', '1')",
        "INSERT INTO queue_publication_lock (source, version) VALUES ('order', 0)",
        "INSERT INTO queue_subscription (source, topic) VALUES ('order', 'invoice.write')",
        "INSERT INTO queue_schedule (name, topic, every_micros, payload, next_at) VALUES"
            + " ('nightly', 'report.send', 1000000, '1', UTC_TIMESTAMP(6) + INTERVAL 1 DAY)",
        "ALTER TABLE queue_message RENAME INDEX queue_message_claim TO queue_message_once",
        "CREATE INDEX queue_message_claim ON queue_message (topic, lost_claims)");
  }

  private static String worker(String lockId, String leaseUntil) {
    return "INSERT INTO queue_worker (lock_id, host, pid, is_alive, lease_until, version, topics,"
        + " started_at, updated_at) VALUES ('%s', 'web', 1, 1, %s, '0.1.0', 'order.place',"
            .formatted(lockId, leaseUntil)
        + " UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))";
  }

  /** On MySQL, versions and the optimizer's words are others. */
  private void shows(String name, String out) throws IOException {
    if (!database.isMariaDb()) {
      return;
    }
    Path file = SHOWN.resolve(name);
    if (UPDATE) {
      Files.createDirectories(SHOWN);
      Files.writeString(file, out);
    }
    assertThat(masked(Files.readString(file)))
        .as("%s shows what the doctor says; -Drowqueue.docs.update=true writes it", file)
        .isEqualTo(masked(out));
  }

  /** Numbers, and who happens to have a transaction open, differ from run to run. */
  private static String masked(String out) {
    return out.replaceAll("(?m)^(ok +transactions).*$", "$1").replaceAll("\\d[\\d,.]*", "#");
  }

  private Said doctor(String... options) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Checkout.java(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                // A language with digits of its own, which an English text has none of.
                "-Duser.language=ar",
                "-Duser.country=EG",
                "-jar",
                Checkout.workerJar().toString(),
                "doctor"));
    command.addAll(List.of(options));
    Path out = folder.resolve("doctor.out");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(folder.resolve("doctor.err").toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("ROWQUEUE_"));
    builder
        .environment()
        .put("ROWQUEUE_URL", account.url() + "&sslMode=DISABLED&allowPublicKeyRetrieval=true");
    try {
      Process process = builder.start();
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
      return new Said(process.exitValue(), Files.readString(out));
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private record Said(int exitCode, String out) {}
}
