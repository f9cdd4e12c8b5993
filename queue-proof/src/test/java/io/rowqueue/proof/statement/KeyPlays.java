package io.rowqueue.proof.statement;

import static io.rowqueue.proof.statement.Scenery.TOPIC;

import io.rowqueue.database.Transition;
import io.rowqueue.deduplicate.DeduplicationKeys;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.statement.Play.Scene;
import io.rowqueue.wakeup.Ring;
import java.time.Duration;
import java.util.List;

/** How messages with deduplication keys come into the queue, or do not, and how keys go. */
final class KeyPlays {

  private static final Deduplication WAITING = Deduplication.whileWaiting("a");

  private KeyPlays() {}

  static List<Play> all() {
    return List.of(
        Play.of(Transition.ENQUEUE, "under a new key", enqueue("", WAITING)),
        Play.of(Transition.ENQUEUE, "under a key that is held", enqueue("0", WAITING)),
        Play.of(Transition.ENQUEUE, "under a key, replacing", enqueue("0", WAITING.replacing())),
        Play.more(
            Transition.ENQUEUE, "under a key whose message is claimed", enqueue("1", WAITING)),
        Play.more(
            Transition.ENQUEUE,
            "under keys of every scope",
            enqueue(
                "0",
                WAITING,
                Deduplication.whileAlive("b"),
                Deduplication.within("c", Duration.ofHours(1)))),
        Play.of(Transition.PRUNE_KEYS, KeyPlays::prune));
  }

  /** Key a has a message of {@code state} already, unless that is empty. */
  private static Scene enqueue(String state, Deduplication... rules) {
    return (scenery, core) -> {
      if (!state.isEmpty()) {
        scenery.messages(1, "state = " + state);
        key(scenery, "1", "UTC_TIMESTAMP(6)");
      }
      List<NewMessage> messages =
          java.util.Arrays.stream(rules)
              .map(rule -> NewMessage.of(TOPIC, "new " + rule.key()).withDeduplication(rule))
              .toList();
      return () ->
          scenery.payloads(
              MessageProducer.create()
                  .ringing(Ring.SILENT)
                  .enqueueAll(core.connections(), messages));
    };
  }

  private static Play.Act prune(Scenery scenery, Core core) {
    key(scenery, "NULL", "UTC_TIMESTAMP(6) - INTERVAL 1 HOUR");
    return () -> core.get(DeduplicationKeys.class).prune(500);
  }

  private static void key(Scenery scenery, String message, String updatedAt) {
    scenery.sql(
        "INSERT INTO queue_deduplication (dedup_id, topic, dedup_key, message_id, version,"
            + " updated_at) VALUES (UNHEX(LEFT(SHA2(CONCAT('play', CHAR(0), 'a'), 256), 32)),"
            + " 'play', 'a', %s, 1, %s)".formatted(message, updatedAt));
  }
}
