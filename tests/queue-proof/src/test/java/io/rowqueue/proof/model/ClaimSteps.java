package io.rowqueue.proof.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.proof.model.Rows.MessageRow;
import io.rowqueue.proof.model.Scenario.Choices;
import io.rowqueue.proof.model.World.Held;
import io.rowqueue.proof.model.World.Life;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What workers do with claims before a handler has them. */
final class ClaimSteps {

  private ClaimSteps() {}

  static boolean canClaim(World world) {
    return !able(world).isEmpty() && !open(world).isEmpty();
  }

  /** Those whose strategy waits for rows that others hold do not while somebody holds any. */
  private static List<Life> able(World world) {
    return world.lives.stream()
        .filter(life -> !life.strategy.waits() || !world.hasOpenWrites())
        .toList();
  }

  private static List<Topic> open(World world) {
    return World.TOPICS.stream()
        .filter(topic -> !world.model.settings.isPausedAsRead(topic.name()))
        .toList();
  }

  /** Topics that have something, mostly. */
  private static List<Topic> worthwhile(World world, Choices choices) {
    List<Topic> open = open(world);
    List<Topic> available =
        open.stream().filter(topic -> world.model.hasAvailable(topic.name())).toList();
    return available.isEmpty() || choices.oneIn(5) ? open : available;
  }

  static void claim(World world, Choices choices) {
    Life life = choices.of(able(world));
    ClaimRequest request =
        new ClaimRequest(
            choices.of(worthwhile(world, choices)),
            life.lockId,
            choices.of(2, 1, 3, 8),
            choices.of(1, 0, 2),
            choices.of(1, 1, 2));
    world.say(
        "%s claims up to %d of '%s', at most %d that were lost %d times"
            .formatted(
                life, request.limit(), request.topic(), request.mostAlone(), request.aloneFrom()));
    Takings takings = new Takings(request, world.model);
    ClaimStore store = world.protocol.get(ClaimStore.class);
    ClaimRequest requested =
        choices.oneIn(2) ? request.after(store.poll(List.of(request.topic()))) : request;
    List<Claim> claims = world.protocol.strategy(life.strategy).claim(requested);
    takings.check(life.strategy, claims.stream().map(claim -> claim.id().value()).toList());
    for (Claim claim : claims) {
      MessageRow row = world.model.message(claim.id().value());
      world.model.claim(row, life.lockId.value());
      check(world, row, claim);
      life.waiting.add(new Held(claim));
    }
    world.happened((claims.isEmpty() ? "nothing claimed by " : "claimed by ") + life.strategy);
  }

  private static void check(World world, MessageRow row, Claim claim) {
    assertThat(claim.number()).as("claim number").isEqualTo(row.claims);
    assertThat(claim.attempts()).as("attempts").isEqualTo(row.attempts);
    assertThat(claim.lost()).as("lost claims").isEqualTo(row.lost);
    assertThat(claim.dueLater()).as("due later").isEqualTo(row.dueAt > world.model.now());
    assertThat(claim.body().loaded()).as("body read").isEqualTo(!row.payload.endsWith("bytes"));
  }

  /** A worker loses a claim, as when the reply to its claim's COMMIT is lost. */
  static void forget(World world, Choices choices) {
    Life life = choices.of(world.withWaiting());
    Held held = choices.of(world.waitingOf(life));
    world.say("%s loses sight of %s".formatted(life, world.name(held)));
    world.drop(life, held);
  }

  /** A worker releases what the database says is its own and what it does not know. */
  static void reconcile(World world, Choices choices) {
    Life life = choices.of(world.lives);
    world.say("%s reconciles".formatted(life));
    List<Held> known =
        Stream.concat(
                life.waiting.stream(),
                world.handlings.stream().filter(open -> open.life == life).map(open -> open.held))
            .toList();
    Set<ClaimKey> keys =
        known.stream().map(held -> ClaimKey.of(held.claim())).collect(Collectors.toSet());
    int released = world.protocol.get(ClaimStore.class).reconcile(life.lockId, keys);
    int expected = world.model.reconcile(life.lockId.value(), known);
    world.answered("released", released, expected);
    if (released > 0) {
      world.happened("reconciling releases");
    }
  }

  /** A worker gives back claims that found no thread in time, or that are due later. */
  static void release(World world, Choices choices) {
    Life life = choices.of(world.withWaiting());
    List<Held> waiting = world.waitingOf(life);
    List<Held> back = waiting.subList(0, 1 + choices.below(waiting.size()));
    world.say("%s hands back %s".formatted(life, back.stream().map(world::name).toList()));
    int rows =
        world.protocol.get(ClaimStore.class).release(back.stream().map(Held::claim).toList());
    long expected = back.stream().filter(world.model::release).count();
    world.answered("handed back", (long) rows, expected);
    List.copyOf(back).forEach(held -> world.drop(life, held));
  }

  /** A worker makes what is due available, all of it or the longest due first. */
  static void promote(World world, Choices choices) throws Exception {
    int limit = choices.of(500, 500, 1, 2);
    world.say("a worker promotes up to %d".formatted(limit));
    List<MessageRow> due = world.model.due();
    int promoted = world.protocol.get(ClaimStore.class).promote(limit);
    world.answered("promoted", promoted, Math.min(limit, due.size()));
    if (promoted > 0) {
      // Among those that are due at the same time the server may choose.
      List<Long> available = world.tables.available();
      List<MessageRow> chosen = due.stream().filter(row -> available.contains(row.id)).toList();
      long last = chosen.stream().mapToLong(row -> row.dueAt).max().orElse(0);
      assertThat(due.stream().filter(row -> row.dueAt < last).toList())
          .as("longer due than what was promoted")
          .isSubsetOf(chosen);
      world.answered("promoted", chosen.size(), promoted);
      chosen.forEach(row -> row.state = MessageState.AVAILABLE);
      world.happened("something is promoted");
    }
  }
}
