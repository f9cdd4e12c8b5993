package io.rowqueue.proof.statement;

import static io.rowqueue.proof.statement.Scenery.TOPIC;
import static io.rowqueue.proof.statement.Scenery.WORKER;

import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimSettings;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.ClaimStrategy.Kind;
import io.rowqueue.database.Transition;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.statement.Play.Act;
import io.rowqueue.proof.statement.Play.Scene;
import io.rowqueue.wakeup.Ring;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** How messages come into the queue, and how they become a worker's. */
final class QueuePlays {

  /** One more than a producer puts into one statement. */
  static final int TWO_STATEMENTS = 1_001;

  private QueuePlays() {}

  static List<Play> all() {
    List<Play> plays = new ArrayList<>();
    plays.add(Play.of(Transition.ENQUEUE, enqueue(1)));
    plays.add(
        Play.more(Transition.ENQUEUE, "more than one statement takes", enqueue(TWO_STATEMENTS)));
    plays.addAll(KeyPlays.all());
    plays.add(Play.of(Transition.PROMOTE, promote(1)));
    plays.add(Play.more(Transition.PROMOTE, "three", promote(3)));
    addClaims(plays);
    plays.add(Play.of(Transition.START, QueuePlays::start));
    plays.add(Play.of(Transition.RECONCILE, reconcile(1)));
    plays.add(Play.more(Transition.RECONCILE, "three, of two claim numbers", reconcile(3)));
    plays.add(Play.of(Transition.HAND_BACK, handBack(2)));
    plays.add(Play.more(Transition.HAND_BACK, "three, of two claim numbers", handBack(3)));
    return List.copyOf(plays);
  }

  private static void addClaims(List<Play> plays) {
    for (Kind kind : Kind.values()) {
      ClaimSettings settings = ClaimSettings.defaults().withStrategy(kind);
      plays.add(Play.of(Transition.CLAIM, kind.label(), claim(settings, 1)));
      plays.add(Play.more(Transition.CLAIM, kind.label() + ", three", claim(settings, 3)));
      plays.add(
          Play.more(
              Transition.CLAIM, kind.label() + ", two suspects of three", suspects(settings, 3)));
    }
    plays.add(
        Play.of(
            Transition.CLAIM,
            "skip-locked without the cursor, more suspects at the head than the worker may take",
            suspects(Core.PLAIN, 2)));
    for (Kind kind : List.of(Kind.SKIP_LOCKED, Kind.UPDATE_LIMIT)) {
      plays.add(
          Play.more(
              Transition.CLAIM,
              kind.label() + ", below the cursor's mark",
              belowTheMark(ClaimSettings.defaults().withStrategy(kind))));
    }
  }

  static List<NewMessage> newMessages(int count) {
    return IntStream.range(0, count)
        .mapToObj(number -> NewMessage.of(TOPIC.name(), "new " + number))
        .toList();
  }

  /** Its look for listeners after the COMMIT would be no part of the transition. */
  private static Scene enqueue(int count) {
    return (scenery, core) ->
        () ->
            scenery.payloads(
                MessageProducer.create()
                    .ringing(Ring.SILENT)
                    .enqueueAll(core.connections(), newMessages(count)));
  }

  private static Scene promote(int count) {
    return (scenery, core) -> {
      scenery.messages(count, "state = 2");
      return () -> core.get(ClaimStore.class).promote(500);
    };
  }

  private static Scene claim(ClaimSettings settings, int count) {
    return (scenery, core) -> {
      scenery.messages(count);
      ClaimStrategy strategy = core.strategy(settings);
      return () -> claim(strategy);
    };
  }

  private static Scene suspects(ClaimSettings settings, int count) {
    return (scenery, core) -> {
      scenery.messages(count);
      scenery.sql("UPDATE queue_message SET lost = 1 WHERE id <= 2");
      ClaimStrategy strategy = core.strategy(settings);
      return () -> claim(strategy);
    };
  }

  /** What the cursor passed comes back, and there is nothing above. */
  private static Scene belowTheMark(ClaimSettings settings) {
    return (scenery, core) -> {
      scenery.messages(2);
      ClaimStrategy strategy = core.strategy(settings);
      claim(strategy);
      scenery.sql("UPDATE queue_message SET state = 0, lock_id = '' WHERE id = 1");
      return () -> claim(strategy);
    };
  }

  /** Of suspects one only, since they are handled alone. */
  private static List<String> claim(ClaimStrategy strategy) {
    return strategy.claim(new ClaimRequest(TOPIC, WORKER, 10, 1)).stream()
        .map(QueuePlays::describe)
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

  private static Act start(Scenery scenery, Core core) {
    scenery.messages(1, "lost = 1");
    Claim claim = scenery.claims().get(0);
    return () -> {
      core.get(ClaimStore.class).start(claim);
      return "done";
    };
  }

  private static Scene reconcile(int count) {
    return (scenery, core) -> {
      claimedBefore(scenery, count);
      return () -> core.get(ClaimStore.class).reconcile(WORKER, Set.of());
    };
  }

  private static Scene handBack(int count) {
    return (scenery, core) -> {
      List<Claim> claims = claimedBefore(scenery, count);
      return () -> core.get(ClaimStore.class).handBack(claims);
    };
  }

  /** The last of several has had a claim more than the others. */
  private static List<Claim> claimedBefore(Scenery scenery, int count) {
    scenery.messages(count);
    if (count > 1) {
      scenery.sql("UPDATE queue_message SET claims = 1 WHERE id = " + count);
    }
    return scenery.claims();
  }
}
