package io.rowqueue.worker.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.cli.Main.SettingsException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class SettingsTest {

  @TempDir Path folder;

  private static RunCommand run(Map<String, String> environment, String... args) {
    CommandLine commandLine = Main.commandLine(environment, args);
    commandLine.parseArgs(args);
    return java.util.Objects.requireNonNull(commandLine.getSubcommands().get("run")).getCommand();
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("rowqueue.properties"), text);
  }

  @Test
  void value_fromEverywhere_flagBeatsEnvironmentBeatsFile() throws IOException {
    Path file = file("url=jdbc:mysql://file/q\nhandlers=/file\nthreads=1\nlease=40s\ndrain=7s\n");
    RunCommand run =
        run(
            Map.of(
                "ROWQUEUE_CONFIG",
                file.toString(),
                "ROWQUEUE_THREADS",
                "2",
                "ROWQUEUE_LEASE",
                "50s"),
            "run",
            "--lease",
            "1m");
    assertThat(run.lease).isEqualTo(Duration.ofMinutes(1));
    assertThat(run.threads).isEqualTo(2);
    assertThat(run.drain).isEqualTo(Duration.ofSeconds(7));
    assertThat(run.maxAttempts).isEqualTo(10);
    assertThat(run.common.url).isEqualTo("jdbc:mysql://file/q");
  }

  @Test
  void everyFlag_ofEveryCommand_hasATwinAndAKey() throws IOException {
    for (CommandLine command : Main.commandLine(Map.of()).getSubcommands().values()) {
      for (OptionSpec option : command.getCommandSpec().options()) {
        if (!Settings.isBuiltIn(option) && !option.longestName().equals("--config")) {
          Path file = file(Settings.key(option) + "=from file");
          assertThat(setBy(Map.of(Settings.twin(option), "from twin"), option))
              .isEqualTo("from twin");
          assertThat(setBy(Map.of("ROWQUEUE_CONFIG", file.toString()), option))
              .isEqualTo("from file");
          assertThat(setBy(Map.of(), option)).isNull();
        }
      }
    }
  }

  private static @Nullable String setBy(Map<String, String> environment, OptionSpec option) {
    return Settings.load(Main.commandLine(Map.of()), environment).defaultValue(option);
  }

  @Test
  void file_withUnknownKey_isRefusedWithTheNearestOnes() throws IOException {
    Path file = file("thread=3\n");
    assertThatThrownBy(() -> Main.commandLine(Map.of(), "run", "--config=" + file))
        .isInstanceOf(SettingsException.class)
        .hasMessageContaining("unknown key 'thread'")
        .hasMessageContaining("threads")
        .hasMessageContaining(file.toString());
    assertThat(Main.execute(Map.of(), "run", "--config=" + file)).isEqualTo(2);
  }

  @ParameterizedTest
  @CsvSource({"500ms,PT0.5S", "30s,PT30S", "5m,PT5M", "1h,PT1H", "2d,PT48H", "PT7S,PT7S"})
  void duration_asOperatorsWriteIt_isRead(String text, Duration expected) {
    assertThat(Texts.duration(text)).isEqualTo(expected);
  }

  @ParameterizedTest
  @ValueSource(strings = {"5", "m", "5 m", "-5s", "five"})
  void duration_withoutAUnit_isRefused(String text) {
    assertThatThrownBy(() -> Texts.duration(text))
        .isInstanceOf(CommandLine.TypeConversionException.class)
        .hasMessageContaining("no duration");
  }

  @ParameterizedTest
  @CsvSource({"16384,16384", "16k,16384", "4m,4194304", "4M,4194304", "1g,1073741824"})
  void size_asOperatorsWriteIt_isRead(String text, long expected) {
    assertThat(new Texts.Size().convert(text)).isEqualTo(expected);
  }

  @Test
  void secrets_inHelpAndErrors_areNeverPrinted() {
    StringWriter printed = new StringWriter();
    Map<String, String> environment = Map.of("ROWQUEUE_PASSWORD", "s3cret");
    CommandLine commandLine = Main.commandLine(environment);
    commandLine.setOut(new PrintWriter(printed));
    commandLine.setErr(new PrintWriter(printed));
    commandLine.execute("run", "--help");
    commandLine.execute("run", "--url", "jdbc:mysql://u:s3cret@h/q", "--bad");
    commandLine.execute("run", "--url", "jdbc:mysql://h/q", "--handlers", "/nowhere");
    String[] complete = {"run", "--url", "jdbc:mysql://h/q", "--handlers", "/nowhere"};
    commandLine.execute(with(complete, "--passwrd", "s3cret"));
    commandLine.execute(with(complete, "--passwrd=s3cret"));
    assertThat(printed.toString())
        .contains("--password")
        .contains("no such flag: [--passwrd]")
        .doesNotContain("s3cret");
    assertThat(new DatabaseConfig("jdbc:mysql://u:s3cret@h/q?password=s3cret", "u", "s3cret"))
        .hasToString("DatabaseConfig[//h/q]");
  }

  private static String[] with(String[] arguments, String... more) {
    return Stream.concat(Stream.of(arguments), Stream.of(more)).toArray(String[]::new);
  }
}
