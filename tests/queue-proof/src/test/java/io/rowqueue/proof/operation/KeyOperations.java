package io.rowqueue.proof.operation;

import static io.rowqueue.proof.operation.Fixture.TOPIC;

import io.rowqueue.database.Transition;
import io.rowqueue.deduplicate.DeduplicationKeys;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.NewMessage;
import io.rowqueue.tests.statement.Core;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.worker.grant.Role;
import java.time.Duration;
import java.util.List;

/** How messages with deduplication keys come into the queue, or do not, and how keys go. */
final class KeyOperations {

  private static final Deduplication WAITING = Deduplication.whileWaiting("a");

  private KeyOperations() {}

  static List<Operation> all() {
    return List.of(
        Operation.of(Transition.ENQUEUE, "under a new key", enqueue("", WAITING))
            .by(Role.DEDUPLICATION),
        Operation.of(Transition.ENQUEUE, "under a key that is held", enqueue("0", WAITING))
            .by(Role.DEDUPLICATION),
        Operation.of(
                Transition.ENQUEUE, "under a key, replacing", enqueue("0", WAITING.replacing()))
            .by(Role.DEDUPLICATION),
        Operation.more(
                Transition.ENQUEUE, "under a key whose message is claimed", enqueue("1", WAITING))
            .by(Role.DEDUPLICATION),
        Operation.more(
                Transition.ENQUEUE,
                "under keys of every scope",
                enqueue(
                    "0",
                    WAITING,
                    Deduplication.whileAlive("b"),
                    Deduplication.within("c", Duration.ofHours(1))))
            .by(Role.DEDUPLICATION),
        Operation.of(Transition.PRUNE_KEYS, KeyOperations::prune));
  }

  /** Key a has a message of {@code state} already, unless that is empty. */
  private static Setup enqueue(String state, Deduplication... rules) {
    return (fixture, core) -> {
      if (!state.isEmpty()) {
        fixture.messages(1, "state = " + state);
        key(fixture, "1", "UTC_TIMESTAMP(6)");
      }
      List<NewMessage> messages =
          java.util.Arrays.stream(rules)
              .map(rule -> NewMessage.of(TOPIC, "new " + rule.key()).withDeduplication(rule))
              .toList();
      return () ->
          fixture.payloads(
              MessageProducer.create()
                  .ringing(Ring.SILENT)
                  .enqueueAll(core.connections(), messages));
    };
  }

  private static Act prune(Fixture fixture, Core core) {
    key(fixture, "NULL", "UTC_TIMESTAMP(6) - INTERVAL 1 HOUR");
    return () -> core.get(DeduplicationKeys.class).prune(500);
  }

  private static void key(Fixture fixture, String message, String updatedAt) {
    fixture.sql(
        "INSERT INTO queue_deduplication (dedup_id, topic, dedup_key, message_id, version,"
            + " updated_at) VALUES (UNHEX(LEFT(SHA2(CONCAT('play', CHAR(0), 'a'), 256), 32)),"
            + " 'play', 'a', %s, 1, %s)".formatted(message, updatedAt));
  }
}
