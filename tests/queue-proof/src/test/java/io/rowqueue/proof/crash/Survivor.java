package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.cancel.Cancellations;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.LockId;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.limit.Slots;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Batches;
import io.rowqueue.order.Admission;
import io.rowqueue.order.LineSweep;
import io.rowqueue.proof.operation.Fixture;
import io.rowqueue.reap.Reaper;
import io.rowqueue.settle.Settler;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.process.Books;
import io.rowqueue.tests.statement.Core;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Another worker that cleans up after a dead one and handles what is left, step by step: what has
 * to wait for a time is made due by SQL.
 */
final class Survivor {

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
    new Books(database).noStrayAttempts();
  }

  /** Who holds a message and has no row is reaped, too. */
  private void buryTheDead() {
    database.execute("UPDATE queue_worker SET lease_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND");
    Reaper reaper = core.get(Reaper.class);
    reaper.declareDead();
    reaper.reap(500, 3);
    core.get(Slots.class).freeThoseOfTheDead(Fixture.TOPIC);
    reaper.removeDead();
  }

  private List<String> left() {
    return database.strings(
        "SELECT CONCAT('message ', id, ' in state ', state) FROM queue_message"
            + " UNION ALL SELECT CONCAT('dead letter ', id) FROM queue_dead_letter"
            + " UNION ALL SELECT CONCAT('request to cancel ', message_id) FROM queue_cancel"
            + " UNION ALL SELECT CONCAT('blocked ', message_id) FROM queue_order");
  }

  private void handleRound() {
    database.execute(
        "UPDATE queue_message SET due_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE state = 2");
    core.get(Admission.class).heedLimits();
    core.get(Admission.class).admitNow();
    core.get(ClaimStore.class).promote(500);
    for (String id : database.strings("SELECT message_id FROM queue_cancel")) {
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
    core.get(LineSweep.class).sweep(10);
  }

  private void handle(String topic) {
    List<Claim> claims =
        core.get(ClaimStrategy.class).claim(new ClaimRequest(new Topic(topic), WORKER, 2_000, 100));
    assertThat(core.get(Settler.class).ackAll(claims)).isEqualTo(claims.size());
    for (Claim claim : claims) {
      assertThat(handled.add(claim.id())).as("%s is acknowledged once", claim).isTrue();
    }
  }
}
