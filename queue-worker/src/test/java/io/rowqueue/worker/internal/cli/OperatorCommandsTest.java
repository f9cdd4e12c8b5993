package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.internal.cli.CommandLineProgram.CommandTree;
import io.rowqueue.worker.internal.plugin.PluginJars;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the operators' commands refuse, and what they do, without a database. */
class OperatorCommandsTest {

  /** Where nothing listens: what is asked for in vain fails there, and with another exit code. */
  private static final String NOWHERE = "jdbc:mysql://127.0.0.1:1/app";

  @TempDir Path directory;

  private final ProgramRun program = new ProgramRun().with("ROWQUEUE_URL", NOWHERE);

  private int run(String line) {
    return program.run(line.split(" "));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "dead-letters | name a command of dead-letters: list, groups, show, export, redrive or"
            + " delete",
        "topics | name a command of topics: list, show, pause, resume, retention, limit, ordering"
            + " or",
        "migrate --print --as-copy | --print and --as-copy are both given; give one",
        "dead-letters show | Missing required parameter: 'ID'",
        "dead-letters show x | 'x' is not a valid message id",
        "dead-letters show 0 | '0' is not a valid message id",
        "dead-letters list --limit 0 | --limit must lie between 1 and 10000, not 0",
        "dead-letters list --reason lost | 'lost' is not a valid reason; there are"
            + " attempts-exhausted,",
        "dead-letters list --topic= | a topic's name must not be empty",
        "dead-letters redrive | name dead letters by their ids, or give --all",
        "dead-letters redrive --all | every dead letter there is; add --yes, or a filter",
        "dead-letters delete --all | every dead letter there is; add --yes, or a filter",
        "dead-letters redrive --all --topic a --limit 0 | --limit must be at least 1, not 0",
        "dead-letters redrive 5 --all | --all cannot be combined with ids",
        "dead-letters delete 5 --since 2h | --since cannot be combined with ids",
        "dead-letters redrive 5 --rate-limit 50 | '50' is not a valid rate; write 50/s, 50/m or"
            + " 50/h",
        "dead-letters delete 5 --rate-limit 1/s | there is no option --rate-limit",
        "dead-letters export --limit 0 | --limit must lie between 1 and",
        "messages list --state dead-letter | 'dead-letter' is not a valid state; there are"
            + " available, scheduled, blocked, in-flight",
        "messages list --header a | --header needs NAME=VALUE",
        "topics show | Missing required parameter: 'TOPIC'",
        "messages cancel | Missing required parameter: 'ID'",
        "messages reschedule 5 | give either --delay or --at",
        "messages reschedule 5 --delay 1s --at 2026-01-01T00:00:00Z | give either --delay or --at",
        "messages reschedule 5 --delay -PT1S | --delay must not be negative",
        "messages reschedule 5 --at 2h | '2h' is not a valid instant; write it with its zone",
        "messages prioritize 5 | no priority is named; give --priority",
        "messages prioritize 5 --priority 128 | --priority must lie between -128 and 127, not 128",
        "topics pause | Missing required parameter: 'TOPIC'",
        "topics pause é | has a character outside printable ASCII",
        "topics retention a | give either --days or --none",
        "topics retention a --days 1 --none | give either --days or --none",
        "topics retention a --days 0 | --days must lie between 1 and 36500, not 0",
        "schedules | name a command of schedules: list, next, show, set, pause, resume, run-now,"
            + " remove or",
        "schedules pause | Missing required parameter: 'NAME'",
        "schedules list --next 1001 | --next must lie between 0 and 1000, not 1001",
        "schedules next --count 0 | --count must lie between 1 and 1000, not 0",
        "enqueue --topic t --payload 1 --in 1h --at 2026-01-01T00:00:00Z | give either --delay or"
            + " --at",
        "enqueue --topic t --payload 1 --dedup-until done | --dedup-until and --on-duplicate need"
            + " --dedup-key",
        "enqueue --topic t --payload 1 --on-duplicate fail | need --dedup-key",
        "enqueue --topic t --payload 1 --dedup-key k | --dedup-key needs --dedup-until, with"
            + " claimed, done or a duration such as 24h",
        "enqueue --topic t --payload 1 --dedup-key k --dedup-until gone | 'gone' is neither claimed"
            + " nor done nor a duration, such as 24h",
        "enqueue --topic t --payload 1 --dedup-key k --dedup-until 0s | the window 0 s of",
        "enqueue --topic t --payload 1 --dedup-key k --dedup-until 1h --on-duplicate first |"
            + " 'first' is not a valid rule for duplicates; there are ignore, fail, replace",
        "enqueue --topic t --payload 1 --dedup-key k --dedup-until done --on-duplicate replace |"
            + " --on-duplicate replace needs --dedup-until claimed",
        "enqueue --topic t --payload-file f --dedup-key k --dedup-until claimed --on-duplicate"
            + " replace | --on-duplicate replace is not for --payload-file; give --payload",
        "enqueue --topic t --file f --dedup-key k --dedup-until 1h | --dedup-key is for one"
            + " message",
        "schedules set a --topic t --payload 1 | give either --cron or --every",
        "schedules set a --cron @daily --every 5m --topic t --payload 1 | either --cron or --every",
        "schedules set a --every 5m --zone UTC --topic t --payload 1 | --zone is for --cron; a"
            + " rate",
        "schedules set a --every 5ms --topic t --payload 1 | schedule 'a' cannot run every"
            + " 5 ms",
        "schedules set a --cron @noon --topic t --payload 1 | supported nicknames are @hourly",
        "schedules set a --cron @daily --zone Mars --topic t --payload 1 | 'Mars' is not a valid"
            + " time zone;",
        "schedules set a --cron @daily --topic t --payload {, | --payload is not JSON: ",
        "schedules set a --cron @daily --topic t | no payload is given; give --payload, as in",
        "schedules set a --cron @daily --payload 1 | no topic is named; give --topic, as in",
        "schedules set a --cron @daily --missed some | 'some' is not a valid rule for missed runs;"
            + " there",
        "schedules set é --cron @daily --topic t --payload 1 | a name has 1 to 128 printable ASCII",
        "subscriptions | name a command of subscriptions: list, test, add, remove, pause or resume",
        "subscriptions add a | Missing required parameter: 'TOPIC'",
        "subscriptions pause 'é' b | a character outside printable ASCII",
        "topics limit a | give at least one limit",
        "topics limit a --in-flight many | 'many' is not a valid limit; write a whole number, or"
            + " none",
        "topics limit a --in-flight 0 | --in-flight must lie between 1 and 1000, or be none; not 0",
        "topics limit a --max-age 500ms | --max-age must lie between 1s and 3653d, or be none",
        "topics limit a --max-age soon | 'soon' is not a valid duration",
        "topics limit a --rate-limit 5 | '5' is not a valid rate; write 5/s, 5/m or 5/h",
        "topics limit a --rate-limit 30/m | '30/m' must be a whole number per second, 1/s to",
        "topics limit a --key-rate-limit 1000001/s | '1000001/s' must be a whole number per second,"
            + " 1/s to 1000000/s",
        "topics ordering a | give --on-dead-letter, with block or skip",
        "topics ordering a --on-dead-letter wait | 'wait' is not a valid rule for dead letters;"
            + " there are block, skip",
        "topics ordering-keys | Missing required parameter: 'TOPIC'",
        "topics ordering-keys a --limit 0 | --limit must lie between 1 and 100000, not 0",
        "batches | name a command of batches: list, show, cancel, close or repair",
        "batches list --limit 0 | --limit must lie between 1 and 10000, not 0",
        "batches cancel 0 | '0' is not a valid id; ids are whole numbers from 1 on",
        "chains cancel | Missing required parameter: 'ID'",
        "workers drain | name workers by their lock_ids, or give --host or --all",
        "workers drain a --all | name workers by their lock_ids, or give --host or --all",
        "workers drain --host h --all | name workers by their lock_ids, or give --host or --all",
        "audit | name a command of audit: list",
        "audit list --limit 0 | --limit must lie between 1 and 10000, not 0",
        "archive | name a command of archive: replay or partition",
        "archive replay | name messages by their ids, or give --topic",
        "archive replay 5 --topic a | --topic, --since, --until, --after and --limit cannot be",
        "archive replay --topic a --limit 0 | --limit must lie between 1 and",
        "archive replay --topic a --rate-limit 0/s | '0/s' is not a valid rate; write 50/s, 50/m"
            + " or",
        "dead-letters groups --sort last | 'last' is not a valid order; there are largest,"
            + " last-seen",
        "dead-letters list --group lots | 'lots' is not a valid group; `dead-letters groups` prints"
            + " them",
        "dead-letters delete --all --error-contains= | --error-contains must not be empty",
        "dead-letters export --header a | --header needs NAME=VALUE",
        "dead-letters redrive 5 --group 1f --header a=b | --group, --header cannot be combined",
        "archive partition | acknowledgements may wait in that time; add --yes",
        "encryption-keys | name a command of encryption-keys: usage",
        "encryption-keys usage --key mine | 'mine' is not a key id; ids are as in 0x1a2b3c4d,"
            + " or 439041101",
        "completion fish | fish is not supported; there are scripts for bash and zsh",
        "completion tcsh | there is no script for this shell; there are bash and zsh",
        "grants | Missing required parameter: 'ROLE'",
        "grants boss --schema app --account a | 'boss' is not a valid role; there are producer,"
            + " producer-replacing,",
        "grants worker --schema app | name the schema and the account",
        "grants worker --schema app --account @% | an account's name has 1 to 128 characters",
        "config check --threads 0 | threads must lie between 1 and 1000, not 0",
        "config check --max-payload-size 0 | max-payload-size must be at least 1, not 0",
        "config check --max-header-size 1 | max-header-size must be at least 2, not 1",
        "config check --unreadable-timeout 0s | unreadable-timeout must be positive, not 0 s",
        "config check --lease-duration 5x | '5x' is not a valid duration",
      })
  void usage_withoutSense_isRefusedBeforeAnythingIsTried(String line, String words) {
    assertThat(run(line)).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err()).startsWith("rowqueue: ").contains(words);
    assertThat(program.out()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "dead-letters list --since 2h --until 2026-01-01T00:00:00Z --reason claims-lost",
    "dead-letters show 5",
    "dead-letters redrive 5 6 --dry-run",
    "dead-letters redrive --all --yes",
    "dead-letters redrive --all --group f86d081884c7d659 --ordering-key k",
    "dead-letters delete --all --error-contains refused --header a=b --header c=d",
    "dead-letters delete --all --dry-run",
    "dead-letters delete --dry-run 5",
    "dead-letters export --topic a --with-payload --limit 5",
    "messages list --topic a --state in-flight --header a=b --header c=d --json",
    "topics show a --json",
    "messages show --with-payload 5",
    "messages cancel 5 6",
    "messages reschedule 5 --at 2026-01-01T00:00:00Z",
    "messages prioritize 5 --priority -128",
    "topics list",
    "topics retention a b --none",
    "topics pause --force a",
    "subscriptions list --json",
    "subscriptions test a",
    "subscriptions add a b c",
    "schedules list --next 5",
    "schedules next --count 5",
    "schedules show a --with-payload --json",
    "schedules set a --cron @daily --zone Europe/Berlin --missed all --topic t --payload {}",
    "schedules set a --every 5m --grace 10s --topic t --payload 1 --header a=b --override",
    "schedules run-now a b",
    "schedules revert a",
    "topics limit a b --in-flight 20 --rate-limit none --key-rate-limit 120/m",
    "topics limit a --max-depth 1000 --max-age 5m",
    "topics ordering a b --on-dead-letter skip",
    "topics ordering-keys a --blocked --json",
    "batches list --all --json",
    "batches show 5",
    "batches cancel 5 6",
    "batches close 5",
    "batches repair 5",
    "chains show 5 --json",
    "chains cancel 5 6",
    "workers list --json",
    "workers drain --all",
    "workers drain --host h",
    "audit list --limit 5 --json",
    "archive partition --yes",
    "archive replay 5 6 --dry-run",
    "archive replay --topic a --since 2h --after 5 --limit 9 --rate-limit 5/h",
    "dead-letters groups --reason claims-lost --since 2h --sort last-seen --json",
    "encryption-keys usage --key 4294967295 --json",
    "enqueue --topic t --payload 1 --dedup-key k --dedup-until 24h --on-duplicate ignore",
    "enqueue --topic t --payload 1 --dedup-key k --dedup-until claimed --on-duplicate replace",
    "enqueue --topic t --payload 1 --dedup-key k --dedup-until done --on-duplicate fail",
  })
  void usage_withSense_getsAsFarAsTheDatabase(String line) {
    assertThat(run(line)).isEqualTo(ExitCodes.DATABASE_UNAVAILABLE);
    assertThat(program.err()).startsWith("rowqueue: database //127.0.0.1:1/app: ").hasLineCount(1);
  }

  /** One file serves all commands, so what it says for others must not stand in the way. */
  @Test
  void settings_ofOtherCommands_doNotStandInTheWay() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("c"),
            "handlers=/none\nthreads=3\nwarn-message-age=5m\ntracing=true\n");
    program.with("ROWQUEUE_CONFIG", file.toString());
    assertThat(run("dead-letters redrive 5")).isEqualTo(ExitCodes.DATABASE_UNAVAILABLE);
    assertThat(run("messages reschedule 5 --at 2026-01-01T00:00:00Z"))
        .isEqualTo(ExitCodes.DATABASE_UNAVAILABLE);
  }

  @Test
  void settings_ofOtherCommands_doNotStandForWhatTheLineLacks() {
    program
        .with("ROWQUEUE_TOPIC", "email.send")
        .with("ROWQUEUE_DELAY", "5m")
        .with("ROWQUEUE_PRIORITY", "3")
        .with("ROWQUEUE_YES", "true")
        .with("ROWQUEUE_ALL", "true");
    assertThat(run("dead-letters delete --all")).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err()).contains("every dead letter there is; add --yes, or a filter");
    assertThat(run("messages reschedule 5")).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(run("messages prioritize 5")).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(run("workers drain")).isEqualTo(ExitCodes.WRONG_USAGE);
  }

  @Test
  void completion_bashAndZsh_areOneScriptWithEveryCommand() {
    assertThat(run("completion bash")).isZero();
    String bash = program.out();
    assertThat(bash)
        .startsWith("#!/usr/bin/env bash")
        .contains("bashcompinit", "dead-letters", "--rate-limit", "_complete_queue-worker");
    assertThat(run("completion zsh")).isZero();
    assertThat(program.out()).isEqualTo(bash + bash);
  }

  @Test
  void grants_help_namesEveryRole() {
    assertThat(run("grants --help")).isZero();
    String help = program.out().replaceAll("\\s+", " ");
    assertThat(Role.values())
        .allSatisfy(role -> assertThat(help).containsPattern("[ ,]" + role.label() + "[ ,.]"));
  }

  @Test
  void filters_help_namesEveryReason() {
    assertThat(run("dead-letters list --help")).isZero();
    String help = program.out().replaceAll("\\s+", " ");
    assertThat(DeadLetterReason.values())
        .allSatisfy(reason -> assertThat(help).containsPattern(" " + reason.label() + "[, ]"));
  }

  @Test
  void grants_ofSeveralRoles_areOneScript() {
    assertThat(run("grants worker producer worker --schema my_app --account app@10.%")).isZero();
    assertThat(program.out().lines().filter(line -> line.contains("queue_attempt")))
        .containsExactly("GRANT SELECT, INSERT, DELETE ON `my_app`.queue_attempt TO 'app'@'10.%';");
    assertThat(program.out()).contains("GRANT INSERT (topic, priority, ").doesNotContain("{");
    assertThat(program.err()).isEmpty();
  }

  @Test
  void check_settings_areShownWithWhereTheyAreFrom() throws IOException {
    Path file =
        Files.writeString(
            directory.resolve("c.properties"), "lease-duration=30s\nwarn-message-age=5m\n");
    program
        .with("ROWQUEUE_PASSWORD", "s3cret")
        .with("ROWQUEUE_WORKER_RATE_LIMIT", "email.send=30/m")
        .with("ROWQUEUE_TREADS", "5");
    assertThat(run("config check --threads 4 --claim-topics b,a --config " + file))
        .as(program.err())
        .isZero();
    assertThat(program.out().replaceAll(" {2,}", " | ").lines())
        .contains(
            "SETTING | VALUE | FROM",
            "url | //127.0.0.1:1/app | ROWQUEUE_URL",
            "password | (hidden) | ROWQUEUE_PASSWORD",
            "threads | 4 | flag --threads",
            "claim-topics | a,b | flag --claim-topics",
            "lease-duration | 30s | key 'lease-duration' in " + file,
            "lease-renew-interval | 10s | default",
            "worker-rate-limit | email.send=30/m | ROWQUEUE_WORKER_RATE_LIMIT",
            "shutdown-timeout | 30s | default")
        .last()
        .asString()
        .startsWith("no handlers are named");
    assertThat(program.out()).doesNotContain("s3cret");
    assertThat(program.err())
        .startsWith("rowqueue: the variable ROWQUEUE_TREADS is not a setting and has no effect;")
        .contains("ROWQUEUE_THREADS")
        .hasLineCount(1);
  }

  @Test
  void check_everySettingOfTheRun_isShown() {
    assertThat(run("config check")).isZero();
    Objects.requireNonNull(CommandTree.commands(program.program().model()).get("run"))
        .getCommandSpec()
        .options()
        .stream()
        .filter(option -> !option.hidden())
        .map(Settings::key)
        .filter(Objects::nonNull)
        .forEach(key -> assertThat(program.out()).containsPattern("(?m)^" + key + " +\\S"));
  }

  @Test
  void check_handlers_areSetUpWithoutADatabase() throws IOException {
    plugin("io.rowqueue.handler.HandlerBinder.bind(binder(), \"t\", H.class);");
    assertThat(run("config check --handlers " + directory)).as(program.err()).isZero();
    assertThat(program.out()).endsWith("1 plug-in; handled topics: t\n");
  }

  @Test
  void check_handlersThatTheRunWouldRefuse_areRefusedWithTheSameWords() throws IOException {
    plugin(
        "io.rowqueue.handler.HandlerBinder.bind(binder(), \"t\", H.class);"
            + " requireBinding(Runnable.class);");
    assertThat(run("config check --handlers " + directory)).isEqualTo(ExitCodes.WRONG_USAGE);
    String words = program.err();
    assertThat(words).contains("the handlers cannot be set up:", "Runnable");
    assertThat(run("run --handlers " + directory)).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err()).isEqualTo(words + words);
  }

  /** The worker reads payloads with a Jackson of its own, which does not know it. */
  @Test
  void check_payloadWithAnAnnotationThatWouldBeIgnored_isRefused() throws IOException {
    plugin("io.rowqueue.handler.HandlerBinder.bind(binder(), \"t\", G.class);");
    assertThat(run("config check --handlers " + directory)).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err()).contains("handler of topic 't'", "databind.annotation.JsonNaming");
  }

  @Test
  void check_scheduleThatNeverFires_isRefused() throws IOException {
    plugin(
        "io.rowqueue.handler.HandlerBinder.bind(binder(), \"t\", H.class);"
            + " io.rowqueue.handler.Schedule.cron(\"a\", \"0 0 30 2 *\","
            + " java.time.ZoneOffset.UTC);");
    assertThat(run("config check --handlers " + directory)).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err())
        .contains(
            "schedule 'a' is invalid: cron expression '0 0 30 2 *' cannot be used: it matches");
  }

  @Test
  void check_twoSchedulesOfOneName_areRefused() throws IOException {
    String bind =
        " io.rowqueue.handler.ScheduleBinder.bind(binder(), io.rowqueue.handler.Schedule.every("
            + "\"nightly\", java.time.Duration.ofHours(%d)));";
    plugin(
        "io.rowqueue.handler.HandlerBinder.bind(binder(), \"t\", H.class);"
            + bind.formatted(1)
            + bind.formatted(2));
    assertThat(run("config check --handlers " + directory)).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err()).contains("the handlers cannot be set up:", "nightly");
  }

  @Test
  void check_topicWithoutAHandler_isRefused() throws IOException {
    plugin("io.rowqueue.handler.HandlerBinder.bind(binder(), \"t\", H.class);");
    assertThat(run("config check --claim-topics u --handlers " + directory))
        .isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err()).contains("no handler is bound to [u]; bound are [t]");
  }

  @Test
  void out_fileThatExists_isNotOverwritten() throws IOException {
    Path file = Files.writeString(directory.resolve("kept"), "x");
    assertThat(run("messages show 5 --out " + file)).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err()).contains("exists already; name a new one for --out");
  }

  private void plugin(String configure) throws IOException {
    PluginJars.jar()
        .source(
            "shop.M",
            """
            package shop;
            public class M extends com.google.inject.AbstractModule {
              protected void configure() { %s }
              public static class H implements io.rowqueue.handler.MessageHandler<String> {
                @jakarta.inject.Inject
                H(io.rowqueue.internal.database.Transactions transactions) {
                  throw new IllegalStateException("a check makes no handler");
                }
                public void handle(String payload, io.rowqueue.handler.HandlerContext context) {}
              }
              @com.fasterxml.jackson.databind.annotation.JsonNaming
              public record P(String orderId) {}
              public static class G implements io.rowqueue.handler.MessageHandler<P> {
                public void handle(P payload, io.rowqueue.handler.HandlerContext context) {}
              }
            }
            """
                .formatted(configure))
        .service("shop.M")
        .writeTo(directory.resolve("shop.jar"));
  }

  @Test
  void migratePrint_withoutADatabase_printsTheScriptAlone() {
    ProgramRun printing = new ProgramRun();

    assertThat(printing.run("migrate", "--print")).isEqualTo(ExitCodes.OK);

    assertThat(printing.out())
        .startsWith("SET SESSION")
        .contains("CREATE TABLE")
        .doesNotContain("jooq");
    assertThat(printing.err()).isEmpty();
  }
}
