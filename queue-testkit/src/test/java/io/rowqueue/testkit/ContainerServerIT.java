package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is said where no container can be had; these checks have no Docker. */
@Tag("ci")
class ContainerServerIT {

  private static final Map<String, String> PROPERTIES =
      Map.of("rowqueue.test.container", "mysql:8.4");

  @Test
  void shared_withoutDocker_saysWhatToDo() throws Exception {
    assumeTrue(
        Files.notExists(Path.of("/var/run/docker.sock")) && System.getenv("DOCKER_HOST") == null,
        "here is Docker");
    assertThat(said(ChildJvm.classPath()))
        .contains("no container of mysql:8.4 could be started")
        .contains("Docker must run here")
        .contains("-Drowqueue.test.url=");
  }

  @Test
  void shared_withoutTestcontainers_saysWhatToAdd() throws Exception {
    List<String> without =
        ChildJvm.classPath().stream().filter(path -> !path.contains("testcontainers")).toList();
    assertThat(without).hasSizeLessThan(ChildJvm.classPath().size());
    assertThat(said(without))
        .contains("a container of mysql:8.4 needs org.testcontainers:testcontainers");
  }

  private static String said(List<String> classPath) throws Exception {
    try (ChildJvm child =
        ChildJvm.start(List.of(), classPath, PROPERTIES, SharedServerMain.class)) {
      String said = String.join("\n", child.awaitEnd());
      assertThat(child.exitValue()).isNotZero();
      return said;
    }
  }
}
