package io.rowqueue.internal.reap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.JooqSettings;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerAddress;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerRegistration;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.WorkerConfig;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class ReapIT {

  private static final Topic ORDER = new Topic("order");

  private final LockId dead = LockId.create("dead-host", 1);
  private final LockId living = LockId.create("living-host", 1);
  private TestWorker parts;

  @BeforeEach
  void twoWorkers(QueueDatabase database) {
    parts =
        TestWorker.create(
            database, ReapIT::withoutCursor, Handlers.bind("order", (order, context) -> {}));
    register(dead);
    register(living);
  }

  /** By a dead letter of the same id, say, as a restored table has it. */
  @Test
  void reap_ofAMessageThatTheServerRefuses_releasesAllOthers(QueueDatabase database) {
    for (int number = 0; number < 5; number++) {
      MessageProducer.create()
          .enqueue(database.dataSource(), NewMessage.of(ORDER, new Order(number)));
    }
    database.execute(
        "UPDATE queue_message SET state = 1, lock_id = '%s', claim_number = 1, handler_started = 1"
            .formatted(dead),
        "UPDATE queue_message SET lost_claims = 2 ORDER BY id LIMIT 1",
        "INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims,"
            + " reason, detail, worker, due_at, created_at, dead_at, payload) SELECT MIN(id),"
            + " 'old', 0, 1, 1, 0, 'x', '', 'w', UTC_TIMESTAMP(), UTC_TIMESTAMP(), UTC_TIMESTAMP(),"
            + " '' FROM queue_message",
        "UPDATE queue_worker SET is_alive = 0 WHERE lock_id = '%s'".formatted(dead));
    Reaper reaper = parts.get(Reaper.class);
    assertThat(reaper.reap(100, 3)).isEqualTo(new Reaper.Reaped(4, 0));
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE state = 0")).isEqualTo(4);
    assertThat(reaper.reap(100, 3)).as("it is left aside").isEqualTo(new Reaper.Reaped(0, 0));
  }

  /** What is released comes back at once, and not at the cursor's next reset. */
  private static WorkerConfig withoutCursor(WorkerConfig config) {
    return config.withClaims(
        config.claims().withSettings(config.claims().settings().withCursor(false)));
  }

  @AfterEach
  void closeConnections() {
    parts.close();
  }

  private void register(LockId lockId) {
    parts
        .get(WorkerRegistry.class)
        .register(
            new WorkerRegistration(lockId, "host", 1, "test", Set.of(ORDER), WorkerAddress.NONE),
            Duration.ofMinutes(1));
  }

  private static void enqueue(QueueDatabase database, int count) {
    for (int i = 0; i < count; i++) {
      MessageProducer.create().enqueue(database.dataSource(), NewMessage.of("order", new Order(i)));
    }
  }

  private List<Claim> claim(LockId lockId, int limit) {
    return parts.get(ClaimStrategy.class).claim(new ClaimRequest(ORDER, lockId, limit, 1));
  }

  private Reaper reaper() {
    return parts.get(Reaper.class);
  }

  private void die(QueueDatabase database) {
    die(database, dead);
  }

  private void die(QueueDatabase database, LockId worker) {
    database.execute(
        "UPDATE queue_worker SET lease_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE lock_id ="
            + " '"
            + worker
            + "'");
    assertThat(reaper().declareDead()).isEqualTo(1);
  }

  @Test
  void freeLock_ofThisRunOfTheServer_tellsOfADeathAndOneOfAnEarlierRunOfNothing(
      QueueDatabase database) throws SQLException {
    ServerIncarnation now;
    try (Connection connection = database.connect()) {
      now = ServerIncarnation.of(JooqSettings.dsl(connection, ServerDialect.of(connection)));
    }
    ServerIncarnation earlier =
        new ServerIncarnation(now.identity(), now.startedAt().minusSeconds(1));
    tookItsLock(living, earlier);
    assertThat(reaper().unlocked()).isEmpty();
    tookItsLock(dead, now);
    assertThat(reaper().unlocked())
        .extracting(Reaper.Unlocked::lockId)
        .containsExactly(dead.value());
  }

  private void tookItsLock(LockId worker, ServerIncarnation server) {
    assertThat(
            parts
                .get(WorkerRegistry.class)
                .renew(worker, Duration.ofMinutes(1), new WorkerAddress(server, null), null))
        .isTrue();
  }

  /** The row of a worker that vanished while it renewed is held until the server gives it up. */
  @Test
  void declareDead_whileOneOfTheirRowsIsHeld_doesNotWaitAndTakesTheOther(QueueDatabase database)
      throws Exception {
    database.execute("UPDATE queue_worker SET lease_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND");
    try (Connection vanished = database.connect()) {
      vanished.setAutoCommit(false);
      try (Statement renewal = vanished.createStatement()) {
        renewal.execute(
            "UPDATE queue_worker SET updated_at = UTC_TIMESTAMP(6) WHERE lock_id = '" + dead + "'");
      }
      CompletableFuture<Integer> declared =
          CompletableFuture.supplyAsync(() -> reaper().declareDead());
      assertThat(declared.get(20, TimeUnit.SECONDS)).isEqualTo(1);
      assertThat(database.strings("SELECT lock_id FROM queue_worker WHERE is_alive = 0"))
          .containsExactly(living.value());
      vanished.rollback();
    }
    assertThat(reaper().declareDead()).isEqualTo(1);
  }

  @Test
  void reap_claimsOfTheDead_comeBackAndTheZombieLeavesNoTrace(QueueDatabase database) {
    enqueue(database, 3);
    List<Claim> held = claim(dead, 2);
    List<Claim> others = claim(living, 5);
    assertThat(others).hasSize(1);

    die(database);
    assertThat(
            parts
                .get(WorkerRegistry.class)
                .renew(dead, Duration.ofMinutes(1), WorkerAddress.NONE, null))
        .isFalse();
    assertThat(reaper().reap(500, 3)).isEqualTo(new Reaper.Reaped(2, 0));
    assertThat(reaper().removeDead()).isEqualTo(1);

    Settler settler = parts.get(Settler.class);
    Transactions transactions = parts.get(Transactions.class);
    assertThatThrownBy(
            () ->
                transactions.run(
                    Transition.ACK,
                    tx -> {
                      settler.ack(tx, held.get(0));
                      return 0;
                    }))
        .isInstanceOf(ClaimLostException.class);
    assertThat(settler.release(held.get(0), Duration.ZERO)).isFalse();
    assertThat(
            database.count(
                "SELECT COUNT(*) FROM queue_message WHERE state = 0 AND lost_claims = 1"))
        .isEqualTo(2);
    assertThat(settler.ackAll(List.of(others.get(0)))).isEqualTo(1);
  }

  @Test
  void fence_sameWorkerLaterClaim_refusesTheEarlierOne(QueueDatabase database) {
    enqueue(database, 1);
    Settler settler = parts.get(Settler.class);
    Claim first = claim(living, 1).get(0);
    assertThat(settler.release(first, Duration.ZERO)).isTrue();
    Claim second = claim(living, 1).get(0);

    assertThat(second.number()).isEqualTo(first.number() + 1);
    assertThat(settler.ackAll(List.of(first))).isZero();
    assertThat(settler.retry(first, AttemptError.of(new IllegalStateException()), Duration.ZERO))
        .isFalse();
    assertThat(settler.release(first, Duration.ZERO)).isFalse();
    assertThat(settler.ackAll(List.of(second))).isEqualTo(1);
  }

  /** Three deaths: of the ten nobody but the killer may reach the limit. */
  @Test
  void killer_amongInnocents_aloneIsQuarantined(QueueDatabase database) {
    enqueue(database, 10);
    ClaimStore store = parts.get(ClaimStore.class);
    claim(dead, 10);
    die(database);
    reaper().reap(500, 3);

    LockId second = LockId.create("dead-host", 2);
    register(second);
    List<Claim> together = claimSparing(second, 10);
    assertThat(together).as("all of them at once").hasSize(10);
    together.stream().limit(4).forEach(store::start);
    die(database, second);
    reaper().reap(500, 3);

    LockId third = LockId.create("dead-host", 3);
    register(third);
    List<Claim> last = claimSparing(third, 10);
    assertThat(last).as("six, and one of the four that had been started").hasSize(7);
    Claim killer = last.stream().filter(claim -> claim.lost() == 2).findFirst().orElseThrow();
    store.start(killer);
    die(database, third);
    reaper().reap(500, 3);
    assertThat(database.strings("SELECT id FROM queue_dead_letter"))
        .containsExactly(killer.id().toString());
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE lost_claims < 3"))
        .isEqualTo(9);
  }

  /** As a worker with a limit of three lost claims does. */
  private List<Claim> claimSparing(LockId lockId, int limit) {
    return parts.get(ClaimStrategy.class).claim(new ClaimRequest(ORDER, lockId, limit, 1, 2));
  }

  /**
   * One loss more would make it a dead letter, and this one was not its own: its handling never
   * began.
   */
  @Test
  void quarantine_suspectAtTheLimitThatHadNotBegun_livesOn(QueueDatabase database) {
    enqueue(database, 1);
    claim(dead, 1);
    database.execute("UPDATE queue_message SET lost_claims = 2");
    die(database);
    Reaper.Reaped reaped = reaper().reap(500, 3);
    assertThat(reaped.quarantined()).isZero();
    assertThat(reaped.released()).isEqualTo(1);
    assertThat(database.strings("SELECT lost_claims FROM queue_message")).containsExactly("2");
  }

  @Test
  void reconcile_heldButUnknown_isReleasedAndTheKnownStay(QueueDatabase database) {
    enqueue(database, 3);
    List<Claim> held = claim(living, 3);
    Set<io.rowqueue.internal.claim.ClaimKey> known =
        Set.of(io.rowqueue.internal.claim.ClaimKey.of(held.get(0)));

    assertThat(parts.get(ClaimStore.class).reconcile(living, known)).isEqualTo(2);
    assertThat(parts.get(ClaimStore.class).reconcile(living, known)).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE state = 1")).isEqualTo(1);
    assertThat(
            database.count(
                "SELECT COUNT(*) FROM queue_message WHERE state = 0 AND attempts = 0 AND"
                    + " lost_claims = 0"))
        .isEqualTo(2);
  }
}
