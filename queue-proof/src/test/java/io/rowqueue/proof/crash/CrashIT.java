package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.database.Transition;
import io.rowqueue.proof.TestWorker;
import io.rowqueue.proof.crash.victim.Moment;
import io.rowqueue.proof.crash.victim.StepModule;
import io.rowqueue.proof.crash.victim.VictimModule;
import io.rowqueue.proof.process.PluginJar;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kills a real process with SIGKILL before, during and after the COMMIT of every transition, lets
 * another worker clean up, and checks the books.
 */
@QueueTest
class CrashIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir private static Path plugins;

  static Stream<Arguments> cells() {
    return Arrays.stream(Scene.values())
        .flatMap(
            scene -> Arrays.stream(Moment.values()).map(moment -> Arguments.of(scene, moment)));
  }

  @BeforeAll
  static void packPlugin() throws IOException, URISyntaxException {
    PluginJar.pack(VictimModule.class, plugins.resolve("victim.jar"));
  }

  @Test
  void scenes_haveEveryTransition() {
    assertThat(Arrays.stream(Scene.values()).map(Scene::transition)).contains(Transition.values());
  }

  @ParameterizedTest(name = "{0} killed {1} its COMMIT")
  @MethodSource("cells")
  void killed(Scene scene, Moment moment, QueueDatabase database) throws Exception {
    Books books = new Books(database);
    books.open();
    database.execute("DELETE FROM queue_cancel", "DELETE FROM queue_progress");
    scene.arrange(database);
    assertThat(scene.committed(database)).as("committed before anything ran").isFalse();

    try (Victim victim = Victim.start(scene, moment, database, plugins)) {
      scene.act(database, victim);
      victim.awaitAndKill();
    }
    assertThat(scene.committed(database)).isEqualTo(moment != Moment.BEFORE);
    books.balance();

    cleanUp(database);
    books.balance();
    books.allAre(moment == Moment.BEFORE ? scene.endIfNotCommitted() : scene.end());
    books.noStrayAttempts();
  }

  /** Another worker handles what is left, and buries the dead. */
  private static void cleanUp(QueueDatabase database) {
    try (TestWorker worker =
        TestWorker.start(
            database, config -> config.withLease(Duration.ofSeconds(1)), new StepModule())) {
      Await.until(
          "the queue is empty and the dead are gone",
          SOON,
          () ->
              database.strings(
                  "SELECT CONCAT('message ', id, ' in state ', state) FROM queue_message"
                      + " UNION ALL SELECT CONCAT('schedule ', name) FROM queue_schedule"
                      + " WHERE next_at <= UTC_TIMESTAMP(6)"
                      + " UNION ALL SELECT CONCAT('worker ', lock_id) FROM queue_worker"
                      + " WHERE pid <> "
                      + ProcessHandle.current().pid()
                      + " UNION ALL SELECT CONCAT('wish ', message_id) FROM queue_cancel"),
          List::isEmpty);
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
  }
}
