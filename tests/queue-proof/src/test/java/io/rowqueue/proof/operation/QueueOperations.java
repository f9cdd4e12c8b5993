package io.rowqueue.proof.operation;

import static io.rowqueue.proof.operation.Fixture.TOPIC;
import static io.rowqueue.proof.operation.Fixture.WORKER;

import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimSettings;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.ClaimStrategy.Kind;
import io.rowqueue.database.Transition;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.tests.statement.Core;
import io.rowqueue.wakeup.Ring;
import io.rowqueue.worker.grant.Role;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** How messages come into the queue, and how they become a worker's. */
public final class QueueOperations {

  /** One more than a producer puts into one statement. */
  public static final int TWO_STATEMENTS = 1_001;

  private QueueOperations() {}

  static List<Operation> all() {
    List<Operation> operations = new ArrayList<>();
    operations.add(Operation.of(Transition.ENQUEUE, enqueue(1)));
    operations.add(
        Operation.more(
            Transition.ENQUEUE, "more than one statement takes", enqueue(TWO_STATEMENTS)));
    operations.add(Operation.of(Transition.PROMOTE, promote(1)));
    operations.add(Operation.more(Transition.PROMOTE, "three", promote(3)));
    addClaims(operations);
    operations.add(Operation.of(Transition.START, QueueOperations::start));
    operations.add(Operation.of(Transition.RECONCILE, reconcile(1)));
    operations.add(
        Operation.more(Transition.RECONCILE, "three, of two claim numbers", reconcile(3)));
    operations.add(Operation.of(Transition.HAND_BACK, handBack(2)));
    operations.add(
        Operation.more(Transition.HAND_BACK, "three, of two claim numbers", handBack(3)));
    return List.copyOf(operations);
  }

  private static void addClaims(List<Operation> operations) {
    for (Kind kind : Kind.values()) {
      ClaimSettings settings = ClaimSettings.defaults().withStrategy(kind);
      // LAST_INSERT_ID needs a privilege that the script names and does not grant.
      Role[] roles = kind == Kind.LAST_INSERT_ID ? new Role[0] : new Role[] {Role.WORKER};
      operations.add(Operation.of(Transition.CLAIM, kind.label(), claim(settings, 1)).by(roles));
      operations.add(
          Operation.more(Transition.CLAIM, kind.label() + ", three", claim(settings, 3)).by(roles));
      operations.add(
          Operation.more(
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
          Operation.more(
              Transition.CLAIM,
              kind.label() + ", below the cursor's mark",
              belowTheMark(ClaimSettings.defaults().withStrategy(kind))));
    }
  }

  /** So many messages. */
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
                    .ringing(Ring.SILENT)
                    .enqueueAll(core.connections(), newMessages(count)));
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
      fixture.sql("UPDATE queue_message SET lost = 1 WHERE id <= 2");
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
    fixture.messages(1, "lost = 1");
    Claim claim = fixture.claims().get(0);
    return Act.done(() -> core.get(ClaimStore.class).start(claim));
  }

  private static Setup reconcile(int count) {
    return (fixture, core) -> {
      claimedBefore(fixture, count);
      return () -> core.get(ClaimStore.class).reconcile(WORKER, Set.of());
    };
  }

  private static Setup handBack(int count) {
    return (fixture, core) -> {
      List<Claim> claims = claimedBefore(fixture, count);
      return () -> core.get(ClaimStore.class).handBack(claims);
    };
  }

  /** The last of several has had a claim more than the others. */
  private static List<Claim> claimedBefore(Fixture fixture, int count) {
    fixture.messages(count);
    if (count > 1) {
      fixture.sql("UPDATE queue_message SET claims = 1 WHERE id = " + count);
    }
    return fixture.claims();
  }
}
