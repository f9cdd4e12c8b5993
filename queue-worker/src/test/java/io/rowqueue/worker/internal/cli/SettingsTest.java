package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Topic;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerHealth;
import io.rowqueue.worker.internal.cli.CommandLineProgram.CommandTree;
import io.rowqueue.worker.internal.cli.RunCommand.StopSignals;
import io.rowqueue.worker.internal.plugin.PluginJars;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class SettingsTest {

  private static final String URL = "jdbc:mysql://db:3306/app";

  @TempDir Path directory;

  private final ProgramRun program = new ProgramRun();
  private @Nullable WorkerConfig launched;

  /** Launches nothing and keeps the configuration that a worker would have. */
  @BeforeEach
  void keepConfiguration() throws IOException {
    Path handlers = Files.createDirectory(directory.resolve("handlers"));
    PluginJars.jar()
        .source("a.M", "package a; public class M extends com.google.inject.AbstractModule {}")
        .service("a.M")
        .writeTo(handlers.resolve("a.jar"));
    StopSignals signals = new StopSignals(code -> {});
    signals.received("TERM");
    program.launching(
        (config, admin, plugins) -> {
          launched = config;
          return new IdleWorker();
        },
        signals);
    program.with("ROWQUEUE_URL", URL).with("ROWQUEUE_HANDLERS", handlers.toString());
  }

  private WorkerConfig run(String... args) {
    List<String> all = new ArrayList<>(List.of("run"));
    all.addAll(List.of(args));
    assertThat(program.run(all.toArray(String[]::new))).describedAs(program.err()).isZero();
    return Objects.requireNonNull(launched);
  }

  private String refused(String... args) {
    assertThat(program.run(args)).isEqualTo(ExitCodes.WRONG_USAGE);
    return program.err();
  }

  private String file(String... lines) throws IOException {
    return Files.write(directory.resolve("rowqueue.properties"), List.of(lines)).toString();
  }

  @Test
  void defaults_areTheWorkersOwn() {
    WorkerConfig defaults = WorkerConfig.defaults(new DatabaseConfig(URL, "", ""));
    WorkerConfig config = run();
    assertThat(config.withHandlers(defaults.handlers())).isEqualTo(defaults);
    assertThat(config.handlers().maxAttempts()).isEqualTo(defaults.handlers().maxAttempts());
    assertThat(config.handlers().timeout()).isEqualTo(defaults.handlers().timeout());
  }

  @Test
  void mapping_everyFlag_reachesItsSetting() {
    WorkerConfig config =
        run(
            "--threads=3",
            "--claim-topics=a, b, c\\,d",
            "--lease-duration=30s",
            "--lease-renew-interval=7s",
            "--poll-interval=250ms",
            "--prefetch-count=90",
            "--prefetch-bytes=2m",
            "--max-lost-claims=4",
            "--shutdown-timeout=1m",
            "--max-attempts=2",
            "--handler-timeout=PT1H",
            "--max-payload-size=1m",
            "--max-header-size=2k",
            "--user=app",
            "--password=secret");
    assertThat(config.threads()).isEqualTo(3);
    assertThat(config.topics()).containsOnly(new Topic("a"), new Topic("b"), new Topic("c,d"));
    assertThat(config.leaseDuration()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.leaseRenewInterval()).isEqualTo(Duration.ofSeconds(7));
    assertThat(config.pollInterval()).isEqualTo(Duration.ofMillis(250));
    assertThat(config.prefetchCount()).isEqualTo(90);
    assertThat(config.prefetchBytes()).isEqualTo(2 << 20);
    assertThat(config.maxLostClaims()).isEqualTo(4);
    assertThat(config.shutdownTimeout()).isEqualTo(Duration.ofMinutes(1));
    assertThat(config.handlers().maxAttempts()).isEqualTo(2);
    assertThat(config.handlers().timeout()).isEqualTo(Duration.ofHours(1));
    assertThat(config.limits().payloadBytes()).isEqualTo(1 << 20);
    assertThat(config.limits().headersBytes()).isEqualTo(2 << 10);
    assertThat(config.database()).isEqualTo(new DatabaseConfig(URL, "app", "secret"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--lease-duration=6s --lease-renew-interval=5s | lease-renew-interval (5 s) must be at most"
            + " a third of lease-duration (6 s), so that two renewals may fail",
        "--prefetch-bytes=1k | prefetch-bytes must be at least 1048576 (1 MiB), not 1024",
        "--handler-timeout=0s | handler-timeout must be positive, not 0 s"
      })
  void validation_settingThatTheWorkerRefuses_isOneLine(String options, String line) {
    assertThat(refused(("run " + options).split(" "))).isEqualTo("rowqueue: " + line + "\n");
  }

  @Test
  void precedence_flagThenEnvironmentThenFileThenDefault() throws IOException {
    String file = file("threads=1", "shutdown-timeout=1s", "max-lost-claims=7");
    program.with("ROWQUEUE_CONFIG", file).with("ROWQUEUE_THREADS", "2");
    program.with("ROWQUEUE_SHUTDOWN_TIMEOUT", "2s");
    WorkerConfig config = run("--threads", "3");
    assertThat(config.threads()).isEqualTo(3);
    assertThat(config.shutdownTimeout()).isEqualTo(Duration.ofSeconds(2));
    assertThat(config.maxLostClaims()).isEqualTo(7);
    assertThat(config.prefetchCount()).isEqualTo(2_000);
  }

  @Test
  void emptyVariable_countsAsNotGiven() throws IOException {
    program.with("ROWQUEUE_THREADS", "").with("ROWQUEUE_CONFIG", "");
    assertThat(run("--config", file("threads=5")).threads()).isEqualTo(5);
  }

  @Test
  void badVariable_underAGoodFlag_doesNotMatter() {
    program.with("ROWQUEUE_THREADS", "many");
    assertThat(run("--threads=4").threads()).isEqualTo(4);
  }

  @Test
  void badValue_namesWhereItComesFrom() throws IOException {
    program.with("ROWQUEUE_LEASE_DURATION", "5");
    assertThat(refused("run"))
        .contains("ROWQUEUE_LEASE_DURATION: ")
        .contains("'5' is not a valid duration");
    assertThat(new ProgramRun().run("run", "--config=" + file("threads=x"))).isEqualTo(2);
    ProgramRun fromFile = new ProgramRun();
    fromFile.run("run", "--config=" + file("threads=x"));
    assertThat(fromFile.err()).contains("key 'threads' in ").contains("rowqueue.properties");
  }

  @Test
  void everySetting_hasAVariableAndAKey_andNoOtherOptionHas() throws IOException {
    int options = 0;
    for (CommandLine command : CommandTree.commands(program.program().model()).values()) {
      for (OptionSpec option : command.getCommandSpec().options()) {
        String key = Settings.key(option);
        if (key == null) {
          assertThat(fromEnvironment(option)).isNull();
          assertThat(fromFile(option)).isNull();
          continue;
        }
        assertThat("--" + key).isEqualTo(option.longestName());
        assertThat(fromEnvironment(option)).isEqualTo("value");
        if (!"config".equals(key)) {
          assertThat(fromFile(option)).isEqualTo("value");
        }
        options++;
      }
    }
    assertThat(options).isGreaterThan(150);
  }

  /** What is meant for {@code enqueue} must narrow no other command's question. */
  @ParameterizedTest
  @CsvSource({
    "dead-letters list, topic reason group error-contains ordering-key header since until limit"
        + " json",
    "dead-letters groups, topic reason group error-contains ordering-key header since until sort"
        + " json",
    "dead-letters redrive, topic reason group error-contains ordering-key header since until limit"
        + " all yes dry-run rate-limit",
    "dead-letters delete, topic reason group since until limit all yes dry-run",
    "enqueue, topic payload payload-file file from-line atomic delay at priority ordering-key"
        + " header dedup-key dedup-until on-duplicate refuse publish await",
    "run, once",
    "dead-letters export, topic reason since until limit with-payload",
    "messages list, topic state ordering-key header since until payload-contains limit",
    "messages show, with-payload out",
    "archive partition, yes",
    "doctor, role all json",
    "audit list, limit json",
    "messages reschedule, delay at",
    "messages prioritize, priority",
    "topics retention, days none force",
    "schedules set, cron zone every starting-at missed grace topic payload priority header"
        + " override",
    "schedules list, next",
    "schedules next, count",
    "workers drain, host all",
    "grants, schema account",
  })
  void whatOneCallIsAbout_isOnItsLineOnly(String command, String names) {
    CommandLine model =
        Objects.requireNonNull(CommandTree.commands(program.program().model()).get(command));
    program.run((command + " --help").split(" ", -1));
    String help = program.out().replaceAll("\\s+", " ");
    String notElsewhere = help.substring(help.indexOf("(handler-timeout=5m), except for "));
    for (String name : names.split(" ", -1)) {
      OptionSpec option = model.getCommandSpec().findOption(name);
      assertThat(fromEnvironment(option)).as(name).isNull();
      assertThat(notElsewhere).containsPattern("--" + name + "[,.]");
    }
  }

  @Test
  void file_withWhatOneCallIsAbout_isRefused() throws IOException {
    assertThat(
            refused(
                "dead-letters",
                "list",
                "--config",
                file("yes=true", "json=true", "reason=too-large")))
        .contains("has unknown keys:\n  json;", "\n  reason;", "\n  yes;");
  }

  /** One variable stands for all options of a name, and must suit each of them. */
  @Test
  void optionsOfOneName_inSeveralCommands_haveOneType() {
    Map<String, Map<Class<?>, List<String>>> commands = new TreeMap<>();
    CommandTree.commands(program.program().model())
        .forEach(
            (name, command) ->
                command.getCommandSpec().options().stream()
                    .filter(option -> fromEnvironment(option) != null)
                    .forEach(
                        option ->
                            commands
                                .computeIfAbsent(option.longestName(), any -> new HashMap<>())
                                .computeIfAbsent(option.type(), any -> new ArrayList<>())
                                .add(name)));
    assertThat(commands).isNotEmpty().allSatisfy((name, types) -> assertThat(types).hasSize(1));
  }

  private static @Nullable String fromEnvironment(OptionSpec option) {
    String variable = "ROWQUEUE_" + option.longestName().substring(2).replace('-', '_');
    return new Settings(
            List.of(),
            Map.of(variable.toUpperCase(java.util.Locale.ROOT), "value"),
            SettingsFile.NONE)
        .defaultValue(option);
  }

  private @Nullable String fromFile(OptionSpec option) throws IOException {
    String key = option.longestName().substring(2);
    SettingsFile file = SettingsFile.read(Path.of(file(key + "=value")), java.util.Set.of(key));
    return new Settings(List.of(), Map.of(), file).defaultValue(option);
  }

  @Test
  void file_withKeysOfAnotherCommand_isFine() throws IOException {
    assertThat(run("--config", file("warn-message-age=5m", "tracing=true", "threads=6")).threads())
        .isEqualTo(6);
  }

  @Test
  void file_withUnknownKeys_namesThemAllAndTheNearest() throws IOException {
    assertThat(refused("run", "--config", file("thread=6", "lease-duratio=7s")))
        .contains("rowqueue.properties has unknown keys")
        .contains("thread; nearest: threads")
        .contains("lease-duratio; nearest: lease-duration");
  }

  /** As some editors write them. */
  @Test
  void file_withAByteOrderMark_isReadWithoutIt_andUtf16IsNamed() throws IOException {
    assertThat(run("--config", file("\uFEFFthreads=6")).threads()).isEqualTo(6);
    Path utf16 = directory.resolve("utf16.properties");
    Files.writeString(utf16, "threads=6", StandardCharsets.UTF_16);
    assertThat(refused("run", "--config", utf16.toString()))
        .contains(utf16 + " is in UTF-16; save it in UTF-8");
    assertThat(refused("status", "--password-file", utf16.toString()))
        .contains(utf16 + " is in UTF-16; save it in UTF-8");
    run("--password-file", file("\uFEFFsecret"));
    assertThat(Objects.requireNonNull(launched).database().passwords().get()).isEqualTo("secret");
  }

  @Test
  void file_withAKeyTwice_isRefused() throws IOException {
    assertThat(refused("run", "--config", file("threads=6", "threads=7")))
        .contains("more than one line for threads");
  }

  @Test
  void file_missingOrNamingItself_isRefused() throws IOException {
    assertThat(refused("run", "--config", "/nowhere.properties"))
        .contains("/nowhere.properties cannot be read: there is no such file");
    assertThat(refused("run", "--config", file("config=other"))).contains("unknown key");
  }

  @Test
  void missingUrlOrHandlers_namesAllThreeWays() {
    assertThat(new ProgramRun().run("status")).isEqualTo(2);
    ProgramRun bare = new ProgramRun();
    bare.run("status");
    assertThat(bare.err()).contains("--url").contains("ROWQUEUE_URL").contains("url=");
  }

  @Test
  void passwordFile_nearerThanThePassword_wins() throws IOException {
    Path secret = Files.writeString(directory.resolve("secret"), "from file\nignored\n");
    program.with("ROWQUEUE_PASSWORD", "from environment");
    assertThat(run("--password-file", secret.toString()).database().password())
        .isEqualTo("from file");
    assertThat(run("--password", "from flag").database().password()).isEqualTo("from flag");
    program.with("ROWQUEUE_PASSWORD_FILE", secret.toString());
    assertThat(refused("run")).contains("--password and --password-file are both given");
  }

  @Test
  void passwords_inFilesThatChange_areReadAnew() throws IOException {
    Path secret = Files.writeString(directory.resolve("secret"), "first\n");
    DatabaseConfig own = run("--password-file", secret.toString()).database();
    Path config = Files.writeString(directory.resolve("c.properties"), "password=first\n");
    DatabaseConfig shared = run("--config", config.toString()).database();
    assertThat(List.of(own.password(), shared.password())).containsOnly("first");
    Files.writeString(secret, "second\n");
    Files.writeString(config, "password=second\n");
    assertThat(List.of(own.password(), shared.password())).containsOnly("second");
  }

  @Test
  void values_withVariablesOrFileMarks_areTakenAsTheyStand() {
    assertThat(run("--password", "${sys:user.home}@x").database().password())
        .isEqualTo("${sys:user.home}@x");
    program.with("ROWQUEUE_PASSWORD", "${env:HOME}");
    assertThat(run().database().password()).isEqualTo("${env:HOME}");
  }

  private static final class IdleWorker implements Worker {
    @Override
    public void onDrainRequested(Runnable action) {}

    @Override
    public int runOnce() {
      return 0;
    }

    @Override
    public void start() {}

    @Override
    public WorkerHealth health() {
      throw new UnsupportedOperationException("not asked for");
    }

    @Override
    public boolean drain(Duration longest) {
      return true;
    }

    @Override
    public void close() {}
  }
}
