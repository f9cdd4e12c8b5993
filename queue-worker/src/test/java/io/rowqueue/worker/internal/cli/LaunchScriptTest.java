package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The script that starts the worker, with a java that only notes its arguments. */
@DisabledOnOs(OS.WINDOWS)
class LaunchScriptTest {

  private static final String JAVA =
      """
      #!/bin/sh
      echo "$*" >>"$(dirname "$0")/calls"
      for option; do
        case $option in -XX:ArchiveClassesAtExit=*) touch "${option#*=}" ;; esac
      done
      """;

  @TempDir Path home;
  private Path script;
  private Path archive;

  @BeforeEach
  void install() throws IOException {
    script =
        executable("bin/queue-worker", Files.readString(Path.of("../deploy/bin/queue-worker")));
    archive = home.resolve("queue-worker.jsa");
    executable("java/bin/java", JAVA);
    Files.writeString(home.resolve("queue-worker.jar"), "one");
  }

  private Path executable(String name, String text) throws IOException {
    Path file = home.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
    return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** Returns what java was called with, a call a line. */
  private List<String> call(Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    Path calls = home.resolve("java/bin/calls");
    Files.deleteIfExists(calls);
    ProcessBuilder process =
        new ProcessBuilder(
            Stream.concat(Stream.of(script.toString()), Stream.of(arguments)).toList());
    process.environment().remove("JAVA_OPTS");
    process.environment().put("JAVA_HOME", home.resolve("java").toString());
    process.environment().putAll(environment);
    Process running = process.inheritIO().start();
    assertThat(running.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(running.exitValue()).isZero();
    return Files.readAllLines(calls);
  }

  @Test
  void run_withoutAnArchive_makesOneByTheSameOptions_andUsesItAgain() throws Exception {
    List<String> first = call(Map.of(), "run", "--once", "--claim-topics", "a b");
    assertThat(first).hasSize(2);
    assertThat(first.get(0))
        .startsWith("-XX:ArchiveClassesAtExit=" + archive)
        .endsWith("queue-worker.jar config check --claim-topics a b");
    assertThat(first.get(1))
        .startsWith("-XX:SharedArchiveFile=" + archive + " ")
        .endsWith("queue-worker.jar run --once --claim-topics a b");
    assertThat(call(Map.of(), "run"))
        .singleElement()
        .satisfies(again -> assertThat(again).startsWith("-XX:SharedArchiveFile=" + archive + " "));
  }

  @Test
  void run_afterTheJarChanged_makesAnother() throws Exception {
    call(Map.of(), "run");
    Files.writeString(home.resolve("queue-worker.jar"), "another");
    assertThat(call(Map.of(), "run")).hasSize(2);
  }

  @Test
  void otherCommands_makeNone() throws Exception {
    assertThat(call(Map.of(), "status"))
        .containsExactly("-jar " + home.resolve("queue-worker.jar") + " status");
  }

  @Test
  void run_withAnotherFileOrNone_usesThat() throws Exception {
    Path other = home.resolve("cache/other.jsa");
    assertThat(call(Map.of("QUEUE_WORKER_ARCHIVE", other.toString()), "run"))
        .hasSize(2)
        .last()
        .satisfies(run -> assertThat(run).contains("-XX:SharedArchiveFile=" + other));
    assertThat(call(Map.of("QUEUE_WORKER_ARCHIVE", ""), "run")).hasSize(1);
  }
}
