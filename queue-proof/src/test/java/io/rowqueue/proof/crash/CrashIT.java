package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.database.Transition;
import io.rowqueue.proof.SecondServer;
import io.rowqueue.proof.SideBySide;
import io.rowqueue.proof.TestWorker;
import io.rowqueue.proof.crash.victim.Moment;
import io.rowqueue.proof.crash.victim.StepModule;
import io.rowqueue.proof.crash.victim.VictimModule;
import io.rowqueue.proof.process.PluginJar;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a real process with SIGKILL before, during and after the COMMIT of every transition, lets
 * another worker clean up, and checks the books. {@code -Drowqueue.crash=renew} runs only the cells
 * that have that in their names.
 */
class CrashIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  /** Schemas that no cell is in; as many as cells run at once. */
  private static final Queue<QueueDatabase> idle = new ConcurrentLinkedQueue<>();

  @TempDir private static Path plugins;

  @BeforeAll
  static void packPlugin() throws IOException, URISyntaxException {
    PluginJar.pack(VictimModule.class, plugins.resolve("victim.jar"));
  }

  @AfterAll
  static void dropSchemas() {
    idle.forEach(QueueDatabase::close);
  }

  private record Cell(Scene scene, Moment moment) {

    /** A server cannot tell a death behind a COMMIT from one during it: one shows it for both. */
    static List<Cell> all() {
      return Arrays.stream(Scene.values())
          .flatMap(scene -> Arrays.stream(Moment.values()).map(moment -> new Cell(scene, moment)))
          .filter(cell -> !SecondServer.IS_HERE || cell.moment != Moment.AFTER)
          .filter(cell -> cell.toString().contains(System.getProperty("rowqueue.crash", "")))
          .toList();
    }

    @Override
    public String toString() {
      return "%s killed %s its COMMIT".formatted(scene, moment);
    }
  }

  @Test
  void scenes_haveEveryTransition() {
    assertThat(Arrays.stream(Scene.values()).map(Scene::transition)).contains(Transition.values());
  }

  @TestFactory
  Stream<DynamicTest> killed() {
    return SideBySide.tests(Cell.all(), CrashIT::inASchemaOfItsOwn);
  }

  private static void inASchemaOfItsOwn(Cell cell) throws Exception {
    QueueDatabase free = idle.poll();
    QueueDatabase database = free == null ? QueueDatabase.create() : free;
    try {
      database.clean();
      killed(cell.scene, cell.moment, database);
    } finally {
      idle.add(database);
    }
  }

  private static void killed(Scene scene, Moment moment, QueueDatabase database) throws Exception {
    Books books = new Books(database);
    books.open();
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
