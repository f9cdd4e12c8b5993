package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.cancel.Cancellations;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.limit.TopicSlots;
import io.rowqueue.internal.order.Admission;
import io.rowqueue.internal.order.GroupSweep;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.proof.operation.Fixture;
import io.rowqueue.proof.operation.Operation;
import io.rowqueue.proof.operation.Operation.ProcessKilled;
import io.rowqueue.proof.operation.OperationRunner;
import io.rowqueue.proof.operation.Operations;
import io.rowqueue.proof.operation.Outcome;
import io.rowqueue.proof.sample.Sample;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.SideBySide;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.process.KillProbe.Moment;
import io.rowqueue.tests.process.Ledgers;
import io.rowqueue.tests.process.PluginJar;
import io.rowqueue.tests.process.Step.StepModule;
import io.rowqueue.tests.process.Step.VictimModule;
import io.rowqueue.tests.statement.Core;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.Tap.Sent;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
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
    new Ledgers(database).open();
    // An INSERT that commits by itself has no COMMIT to die at: UnansweredEnqueueIT cuts it.
    List<Operation> committed =
        Operations.all().stream()
            .filter(operation -> !operation.toString().endsWith("with auto-commit"))
            .toList();
    return Sample.of(CrashIT.class, 6, committed)
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
    Sample<Cell> sample = Sample.of(CrashIT.class, 4, Cell.all());
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
    Ledgers books = new Ledgers(database);
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
            database,
            config -> config.withLeaseDuration(Duration.ofSeconds(1)),
            new StepModule())) {
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
                      + " UNION ALL SELECT CONCAT('wish ', message_id) FROM queue_cancel_request"),
          List::isEmpty);
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
  }

  /**
   * Has a process die at one of its COMMITs, as far as a server can see: the connection is gone,
   * and nothing more is sent. For one thread.
   */
  static final class CrashTap implements Tap {

    private static final Duration SOON = Duration.ofSeconds(30);

    private final QueueDatabase database;
    private final Moment moment;
    private final int last;
    private int commits;
    private boolean dead;

    /** A process that dies once. */
    CrashTap(QueueDatabase database, Moment moment, int last) {
      this.database = database;
      this.moment = moment;
      this.last = last;
    }

    @Override
    public void opening() {
      if (dead) {
        throw new ProcessKilled();
      }
    }

    @Override
    public void before(Sent next, Connection real) throws SQLException {
      opening();
      if (next.isCommit() && ++commits == last) {
        dead = true;
        die(real);
        throw new ProcessKilled();
      }
    }

    /** The server has rolled back what is open when it no longer has the connection. */
    private void die(Connection real) throws SQLException {
      String connection =
          "SELECT COUNT(*) FROM information_schema.processlist WHERE id = " + id(real);
      if (moment == Moment.DURING) {
        real.commit();
      }
      real.abort(Runnable::run);
      Orders.awaitCount(database, connection, 0, SOON);
    }

    private static long id(Connection real) throws SQLException {
      try (Statement statement = real.createStatement();
          ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  /**
   * Another worker that cleans up after a dead one and handles what is left, step by step: what has
   * to wait for a time is made due by SQL.
   */
  static final class Survivor {

    private static final LockId WORKER = new LockId("host-9-survivor");
    private static final int ROUNDS = 20;

    private final QueueDatabase database;
    private final Core core;
    private final Set<MessageId> handled = new HashSet<>();

    Survivor(QueueDatabase database) {
      this.database = database;
      this.core = new Core(database.dataSource(), TransactionProbe.NONE);
    }

    /** Every message is acknowledged, no message twice, and nothing of the dead is left. */
    void cleansUp() {
      handled.clear();
      buryTheDead();
      for (int round = 1; !left().isEmpty() && round <= ROUNDS; round++) {
        handleRound();
      }
      assertThat(left()).as("what nobody can get on with").isEmpty();
      assertThat(database.strings("SELECT lock_id FROM queue_worker")).isEmpty();
      assertThat(database.strings("SELECT slot FROM queue_slot WHERE lock_id <> ''")).isEmpty();
      new Ledgers(database).noStrayAttempts();
    }

    /** Who holds a message and has no row is reaped, too. */
    private void buryTheDead() {
      database.execute(
          "UPDATE queue_worker SET lease_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND");
      Reaper reaper = core.get(Reaper.class);
      reaper.declareDead();
      reaper.reap(500, 3);
      core.get(TopicSlots.class).freeThoseOfTheDead(Fixture.TOPIC);
      reaper.removeDead();
    }

    private List<String> left() {
      return database.strings(
          "SELECT CONCAT('message ', id, ' in state ', state) FROM queue_message UNION ALL SELECT"
              + " CONCAT('dead letter ', id) FROM queue_dead_letter UNION ALL SELECT"
              + " CONCAT('request to cancel ', message_id) FROM queue_cancel_request UNION ALL"
              + " SELECT CONCAT('blocked ', message_id) FROM queue_ordering_member WHERE running ="
              + " 0");
    }

    private void handleRound() {
      database.execute(
          "UPDATE queue_message SET due_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE state = 2");
      core.get(Admission.class).applyLimits();
      core.get(Admission.class).admitNow();
      core.get(ClaimStore.class).promote(500);
      for (String id : database.strings("SELECT message_id FROM queue_cancel_request")) {
        core.get(Cancellations.class).apply(new MessageId(Long.parseLong(id)));
        core.get(Cancellations.class).forget(new MessageId(Long.parseLong(id)));
      }
      for (String topic : database.strings("SELECT DISTINCT topic FROM queue_message")) {
        handle(topic);
      }
      core.get(DeadLetters.class)
          .redriveAll(
              database.strings("SELECT id FROM queue_dead_letter").stream()
                  .map(id -> new MessageId(Long.parseLong(id)))
                  .toList());
      core.get(Batches.class).sweep();
      core.get(GroupSweep.class).sweep(10);
    }

    private void handle(String topic) {
      List<Claim> claims =
          core.get(ClaimStrategy.class)
              .claim(new ClaimRequest(new Topic(topic), WORKER, 2_000, 100));
      assertThat(core.get(Settler.class).ackAll(claims)).isEqualTo(claims.size());
      for (Claim claim : claims) {
        assertThat(handled.add(claim.id())).as("%s is acknowledged once", claim).isTrue();
      }
    }
  }
}
