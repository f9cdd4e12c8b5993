package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

@Tag("ci")
@DisabledIfSystemProperty(
    named = "test.skip.pure",
    matches = "true",
    disabledReason = "it is about the embedded server")
class ReusedMariaDbIT {

  /** Nobody else's: runs with other options have other servers, and other folders. */
  private final String options =
      "--max-connections=" + ThreadLocalRandom.current().nextInt(100, 100_000);

  @AfterEach
  void deleteFolder() throws IOException {
    Await.that("no data is left", Duration.ofSeconds(30), () -> homes().isEmpty());
    if (Files.exists(folder())) {
      Directories.delete(folder());
    }
  }

  @Test
  void server_isFoundByTheNextRun_alsoBehindAKill_andEndsWhenNobodyUsesIt() throws Exception {
    String first;
    try (ChildJvm run = run("PT5S")) {
      first = run.awaitLine("url ");
      run.awaitLine("ready");
    }
    String second;
    try (ChildJvm run = run("PT5S")) {
      second = run.awaitLine("url ");
      assertThat(run.awaitLine("messages ")).isEqualTo("0");
      run.awaitLine("ready");
      // Longer than it would stay unused.
      String url = second;
      Await.until("time goes by", Duration.ofSeconds(30), run::lines, since(Duration.ofSeconds(7)));
      assertThat(answers(url)).isTrue();
    }
    assertThat(second).isEqualTo(first);
    Await.that("the server ends", Duration.ofSeconds(30), () -> !answers(first));
    Await.that("its data is deleted", Duration.ofSeconds(30), () -> homes().isEmpty());
    assertThat(folder()).exists();
  }

  @Test
  void server_whoseShellWasKilled_isCleanedUpBehindByTheNext() throws Exception {
    String first;
    Path left;
    try (ChildJvm run = run("PT5M")) {
      first = run.awaitLine("url ");
      left = homes().get(0);
      ProcessHandle shell =
          ProcessHandle.of(Long.parseLong(Files.readString(left.resolve("shell")).strip()))
              .orElseThrow();
      List<ProcessHandle> held = shell.descendants().toList();
      shell.destroyForcibly();
      held.forEach(ProcessHandle::destroyForcibly);
      Await.that("the server is gone", Duration.ofSeconds(30), () -> !answers(first));
    }
    assertThat(left).exists();
    try (ChildJvm run = run("PT5S")) {
      assertThat(run.awaitLine("url ")).isNotEqualTo(first);
    }
    assertThat(left).doesNotExist();
  }

  @Test
  void duration_thatIsNone_isSaid() throws Exception {
    try (ChildJvm run = run("soon")) {
      assertThat(run.awaitEnd()).anyMatch(line -> line.contains("a duration such as PT30M"));
    }
  }

  private static java.util.function.Predicate<List<String>> since(Duration wait) {
    long end = System.nanoTime() + wait.toNanos();
    return lines -> System.nanoTime() > end;
  }

  private ChildJvm run(String reuse) throws IOException {
    Map<String, String> properties =
        Map.of("rowqueue.test.reuse", reuse, "rowqueue.test.options", options);
    return ChildJvm.start(List.of(), ChildJvm.classPath(), properties, SharedServerMain.class);
  }

  private static boolean answers(String url) {
    try (Connection connection = DriverManager.getConnection(url)) {
      return connection.isValid(5);
    } catch (SQLException e) {
      return false;
    }
  }

  /** Of servers with this test's options. */
  private Path folder() {
    Path made = Objects.requireNonNull(Installation.unpacked().server().getParent());
    return made.resolveSibling(
        made.getFileName() + ".reused-" + Integer.toHexString(List.of(options).hashCode()));
  }

  private List<Path> homes() {
    if (!Files.exists(folder())) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder())) {
      return all.filter(Files::isDirectory).toList();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
