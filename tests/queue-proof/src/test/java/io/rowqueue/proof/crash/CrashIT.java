package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.operation.Operation;
import io.rowqueue.proof.operation.OperationRunner;
import io.rowqueue.proof.operation.Operations;
import io.rowqueue.proof.operation.Outcome;
import io.rowqueue.proof.sample.Sample;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.SideBySide;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.process.Books;
import io.rowqueue.tests.process.Moment;
import io.rowqueue.tests.process.PluginJar;
import io.rowqueue.tests.process.StepModule;
import io.rowqueue.tests.process.VictimModule;
import io.rowqueue.tests.statement.Sent;
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
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/*
 * Goal: a process may die before or during any COMMIT, and nothing is lost, doubled or left half done.
 * Method: to the server a process that dies is a connection that is gone. Each operation runs once
 * undisturbed, and then dies at each of its COMMITs, before it or behind it. The tables hold what they
 * held before that COMMIT, or what they hold behind it in the undisturbed run. Another worker then
 * cleans up, and acknowledges every message once. Twelve operations die with SIGKILL, in a real
 * process, so that threads, handlers and effects of handlers are in it.
 */
/** Kills at every COMMIT of the protocol. */
@QueueTest
class CrashIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  /** Schemas that no cell is in; as many as cells run at once. */
  private static final Queue<QueueDatabase> idle = new ConcurrentLinkedQueue<>();

  @TempDir private static Path plugins;

  @AfterAll
  static void dropSchemas() {
    idle.forEach(QueueDatabase::close);
  }

  @TestFactory
  Stream<DynamicTest> connectionDies(QueueDatabase database) {
    OperationRunner runner = new OperationRunner(database);
    Survivor survivor = new Survivor(database);
    new Books(database).open();
    return Sample.of(CrashIT.class, 6, 2, Operations.all())
        .tests(operation -> diesAtEachCommit(operation, runner, survivor, database))
        .onClose(runner::close);
  }

  private static void diesAtEachCommit(
      Operation operation, OperationRunner runner, Survivor survivor, QueueDatabase database) {
    Outcome undisturbed = runner.run(operation);
    assertThat(undisturbed.failure()).isNull();
    List<String> before = undisturbed.rowsBefore();
    long commits = undisturbed.sent().stream().filter(Sent::isCommit).count();
    for (int commit = 1; commit <= commits; commit++) {
      Outcome unsent = runner.run(operation, new CrashTap(database, Moment.BEFORE, commit));
      assertThat(unsent.rowsAfter())
          .as("before COMMIT %d of %d", commit, commits)
          .isEqualTo(before);
      survivor.cleansUp();
      Outcome unanswered = runner.run(operation, new CrashTap(database, Moment.DURING, commit));
      before = unanswered.rowsAfter();
      survivor.cleansUp();
    }
    assertThat(before).as("behind the last COMMIT").isEqualTo(undisturbed.rowsAfter());
  }

  private record Cell(Scene scene, Moment moment) {

    static List<Cell> all() {
      return Arrays.stream(Scene.values())
          .flatMap(scene -> Arrays.stream(Moment.values()).map(moment -> new Cell(scene, moment)))
          .toList();
    }

    @Override
    public String toString() {
      return "%s killed %s its COMMIT".formatted(scene, moment);
    }
  }

  @TestFactory
  @Tag("ci")
  Stream<DynamicTest> killed() throws IOException, URISyntaxException {
    PluginJar.pack(VictimModule.class, plugins.resolve("victim.jar"));
    Sample<Cell> sample = Sample.of(CrashIT.class, 4, 2, Cell.all());
    return SideBySide.tests(sample.cells(), sample.saying(CrashIT::inASchemaOfItsOwn)::run);
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
    books.allAre(scene.end());
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
