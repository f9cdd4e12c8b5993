package io.rowqueue.proof.operation;

import static io.rowqueue.proof.operation.Fixture.TOPIC;
import static io.rowqueue.proof.operation.Fixture.WORKER;

import io.rowqueue.ClaimSettings;
import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.Deduplication;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.body.BodySweep;
import io.rowqueue.internal.body.StoredBodySweep;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.deduplicate.DeduplicationKeys;
import io.rowqueue.proof.operation.Operation.Act;
import io.rowqueue.proof.operation.Operation.Setup;
import io.rowqueue.tests.MemoryStore;
import io.rowqueue.tests.statement.Core;
import io.rowqueue.worker.Role;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** How messages come into the queue, and how they become a worker's. */
public final class QueueOperations {

  public static final int TWO_STATEMENTS = 1_001;

  private QueueOperations() {}

  static List<Operation> all() {
    List<Operation> operations = new ArrayList<>();
    operations.add(Operation.of(Transition.ENQUEUE, enqueue(1)));
    operations.add(
        Operation.of(Transition.ENQUEUE, "more than one statement takes", enqueue(TWO_STATEMENTS)));
    operations.add(Operation.of(Transition.ENQUEUE, "with auto-commit", autoCommitted(1)));
    operations.add(Operation.of(Transition.ENQUEUE, "three, with auto-commit", autoCommitted(3)));
    operations.add(Operation.of(Transition.PROMOTE, promote(1)));
    operations.add(Operation.of(Transition.PROMOTE, "three", promote(3)));
    addClaims(operations);
    operations.add(Operation.of(Transition.START, QueueOperations::start));
    operations.add(Operation.of(Transition.RECONCILE, reconcile(1)));
    operations.add(Operation.of(Transition.RECONCILE, "three, of two claim numbers", reconcile(3)));
    operations.add(Operation.of(Transition.RELEASE_UNSTARTED, release(2)));
    operations.add(
        Operation.of(Transition.RELEASE_UNSTARTED, "three, of two claim numbers", release(3)));
    return List.copyOf(operations);
  }

  private static void addClaims(List<Operation> operations) {
    for (Kind kind : Kind.values()) {
      ClaimSettings settings = ClaimSettings.defaults().withStrategy(kind);
      // LAST_INSERT_ID needs a privilege that the script names and does not grant.
      Role[] roles = kind == Kind.LAST_INSERT_ID ? new Role[0] : new Role[] {Role.WORKER};
      operations.add(Operation.of(Transition.CLAIM, kind.label(), claim(settings, 1)).by(roles));
      operations.add(
          Operation.of(Transition.CLAIM, kind.label() + ", three", claim(settings, 3)).by(roles));
      operations.add(
          Operation.of(
                  Transition.CLAIM, kind.label() + ", two suspects of three", suspects(settings, 3))
              .by(roles));
    }
    operations.add(
        Operation.of(
            Transition.CLAIM,
            "skip-locked without the cursor, more suspects at the head than the worker may take",
            suspects(Core.PLAIN, 2)));
    for (Kind kind : List.of(Kind.SKIP_LOCKED, Kind.UPDATE_LIMIT)) {
      operations.add(
          Operation.of(
              Transition.CLAIM,
              kind.label() + ", below the cursor's mark",
              belowTheMark(ClaimSettings.defaults().withStrategy(kind))));
    }
  }

  public static List<NewMessage> newMessages(int count) {
    return IntStream.range(0, count)
        .mapToObj(number -> NewMessage.of(TOPIC.name(), "new " + number))
        .toList();
  }

  /** Its look for listeners after the COMMIT would be no part of the transition. */
  private static Setup enqueue(int count) {
    return (fixture, core) ->
        () ->
            fixture.payloads(
                MessageProducer.create()
                    .notifying(WorkerNotifier.SILENT)
                    .enqueueAll(core.connections(), newMessages(count)));
  }

  /** The pool of an application has auto-commit on. */
  private static Setup autoCommitted(int count) {
    return (fixture, core) -> {
      DataSource pool =
          new FreshConnections(
              () -> {
                Connection connection = core.connections().getConnection();
                connection.setAutoCommit(true);
                return connection;
              });
      return () ->
          fixture.payloads(
              MessageProducer.create()
                  .notifying(WorkerNotifier.SILENT)
                  .enqueueAll(pool, newMessages(count)));
    };
  }

  private static Setup promote(int count) {
    return (fixture, core) -> {
      fixture.messages(count, "state = 2");
      return () -> core.get(ClaimStore.class).promote(500);
    };
  }

  private static Setup claim(ClaimSettings settings, int count) {
    return (fixture, core) -> {
      fixture.messages(count);
      ClaimStrategy strategy = core.strategy(settings);
      return () -> claim(strategy);
    };
  }

  private static Setup suspects(ClaimSettings settings, int count) {
    return (fixture, core) -> {
      fixture.messages(count);
      fixture.sql("UPDATE queue_message SET lost_claims = 1 WHERE id <= 2");
      ClaimStrategy strategy = core.strategy(settings);
      return () -> claim(strategy);
    };
  }

  /** What the cursor passed comes back, and there is nothing above. */
  private static Setup belowTheMark(ClaimSettings settings) {
    return (fixture, core) -> {
      fixture.messages(2);
      ClaimStrategy strategy = core.strategy(settings);
      claim(strategy);
      fixture.sql("UPDATE queue_message SET state = 0, lock_id = '' WHERE id = 1");
      return () -> claim(strategy);
    };
  }

  /** Of suspects one only, since they are handled alone. */
  private static List<String> claim(ClaimStrategy strategy) {
    return strategy.claim(new ClaimRequest(TOPIC, WORKER, 10, 1)).stream()
        .map(QueueOperations::describe)
        .toList();
  }

  private static String describe(Claim claim) {
    return "%s, %d attempts, %d lost, %s"
        .formatted(
            claim,
            claim.attempts(),
            claim.lost(),
            new String(claim.body().payload(), StandardCharsets.UTF_8));
  }

  private static Act start(Fixture fixture, Core core) {
    fixture.messages(1, "lost_claims = 1");
    Claim claim = fixture.claims().get(0);
    return Act.done(() -> core.get(ClaimStore.class).start(claim));
  }

  private static Setup reconcile(int count) {
    return (fixture, core) -> {
      claimedBefore(fixture, count);
      return () -> core.get(ClaimStore.class).reconcile(WORKER, Set.of());
    };
  }

  private static Setup release(int count) {
    return (fixture, core) -> {
      List<Claim> claims = claimedBefore(fixture, count);
      return () -> core.get(ClaimStore.class).release(claims);
    };
  }

  /** The last of several has had a claim more than the others. */
  private static List<Claim> claimedBefore(Fixture fixture, int count) {
    fixture.messages(count);
    if (count > 1) {
      fixture.sql("UPDATE queue_message SET claim_number = 1 WHERE id = " + count);
    }
    return fixture.claims();
  }

  /** How messages with deduplication keys come into the queue, or do not, and how keys go. */
  static final class KeyOperations {

    private static final Deduplication WAITING = Deduplication.whileWaiting("a");

    private KeyOperations() {}

    static List<Operation> all() {
      return List.of(
          Operation.of(Transition.ENQUEUE, "under a new key", enqueue("", WAITING))
              .by(Role.PRODUCER),
          Operation.of(Transition.ENQUEUE, "under a key that is held", enqueue("0", WAITING))
              .by(Role.PRODUCER),
          Operation.of(
                  Transition.ENQUEUE, "under a key, replacing", enqueue("0", WAITING.replacing()))
              .by(Role.PRODUCER_REPLACING),
          Operation.of(
                  Transition.ENQUEUE, "under a key whose message is claimed", enqueue("1", WAITING))
              .by(Role.PRODUCER),
          Operation.of(
                  Transition.ENQUEUE,
                  "under keys of every scope",
                  enqueue(
                      "0",
                      WAITING,
                      Deduplication.whileAlive("b"),
                      Deduplication.within("c", Duration.ofHours(1))))
              .by(Role.PRODUCER),
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
                    .notifying(WorkerNotifier.SILENT)
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

  /** Payloads beside their messages' rows. */
  static final class BodyOperations {

    private static final String TOPIC = "play";
    private static final int CHUNK = 256 << 10;

    private BodyOperations() {}

    static List<Operation> all() {
      return List.of(
          Operation.of(
              Transition.ENQUEUE,
              "with a payload beside the row",
              (fixture, core) -> () -> enqueue(fixture, core, NewMessage.of(TOPIC, bytes(40_000)))),
          Operation.of(
              Transition.ENQUEUE,
              "streamed",
              (fixture, core) -> () -> enqueue(fixture, core, streamed())),
          Operation.of(
              Transition.ENQUEUE,
              "with a payload in a store",
              (fixture, core) ->
                  () ->
                      fixture.payloads(
                          producer()
                              .storing(new OneBody(), 0)
                              .enqueueAll(core.connections(), List.of(streamed())))),
          Operation.of(
              Transition.SWEEP_BODIES,
              (fixture, core) -> {
                fixture.sql(
                    "INSERT INTO queue_payload_chunk (message_id, seq, bytes) VALUES (1, 0, 'a'),"
                        + " (1, 1, 'b')");
                return () -> core.get(BodySweep.class).sweepAll(10);
              }),
          Operation.of(
              Transition.SWEEP_STORED,
              (fixture, core) -> {
                fixture.sql(
                    "INSERT INTO queue_payload_ref (message_id, store, reference, bytes, sha256)"
                        + " VALUES (1, 'memory', 'body-1', 1, REPEAT('x', 32))");
                return () -> sweep(core.get(Transactions.class));
              }));
    }

    /** A transaction that runs again is to leave the same row. */
    private static final class OneBody extends MemoryStore {
      @Override
      public String write(InputStream body) throws IOException {
        bodies.clear();
        return super.write(body);
      }
    }

    private static byte[] bytes(int length) {
      return new byte[length];
    }

    private static NewMessage streamed() {
      return NewMessage.streamed(TOPIC, () -> new ByteArrayInputStream(bytes(2 * CHUNK)));
    }

    private static MessageProducer producer() {
      return MessageProducer.create().notifying(WorkerNotifier.SILENT);
    }

    private static Object enqueue(Fixture fixture, Core core, NewMessage message) {
      return fixture.payloads(producer().enqueueAll(core.connections(), List.of(message)));
    }

    private static int sweep(Transactions transactions) {
      StoredBodySweep sweep = new StoredBodySweep(transactions, Set.of(new MemoryStore()));
      return sweep.sweepRows(10) + sweep.sweepStores(Duration.ZERO);
    }
  }
}
