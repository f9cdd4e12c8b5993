package io.rowqueue.proof.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.Survey;
import io.rowqueue.message.Topic;
import java.util.List;

/**
 * A worker claims. Those whose strategy waits for rows that others hold do not while somebody holds
 * any.
 */
final class ClaimSome implements Action {

  @Override
  public boolean isPossible(World world) {
    return !able(world).isEmpty() && !open(world).isEmpty();
  }

  private static List<Life> able(World world) {
    return world.lives.stream()
        .filter(life -> !life.way.waits() || !world.hasOpenWrites())
        .toList();
  }

  private static List<Topic> open(World world) {
    return World.TOPICS.stream()
        .filter(topic -> !world.model.wishes.isPausedAsRead(topic.name()))
        .toList();
  }

  /** Topics that have something, mostly. */
  private static List<Topic> worthwhile(World world, Choices choices) {
    List<Topic> open = open(world);
    List<Topic> available =
        open.stream().filter(topic -> world.model.hasAvailable(topic.name())).toList();
    return available.isEmpty() || choices.oneIn(5) ? open : available;
  }

  @Override
  public void play(World world, Choices choices) {
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
    ClaimRequest asked = choices.oneIn(2) ? request.after(look(world, request)) : request;
    List<Claim> claims = world.protocol.strategy(life.way).claim(asked);
    takings.check(life.way, claims.stream().map(claim -> claim.id().value()).toList());
    for (Claim claim : claims) {
      MessageRow row = world.model.message(claim.id().value());
      world.model.claim(row, life.lockId.value());
      check(world, row, claim);
      life.waiting.add(new Held(claim));
    }
    world.happened((claims.isEmpty() ? "nothing claimed by " : "claimed by ") + life.way);
  }

  private static Survey look(World world, ClaimRequest request) {
    return world.protocol.get(ClaimStore.class).survey(List.of(request.topic()));
  }

  private static void check(World world, MessageRow row, Claim claim) {
    assertThat(claim.number()).as("claim number").isEqualTo(row.claims);
    assertThat(claim.attempts()).as("attempts").isEqualTo(row.attempts);
    assertThat(claim.lost()).as("lost claims").isEqualTo(row.lost);
    assertThat(claim.dueLater()).as("due later").isEqualTo(row.dueAt > world.model.now());
    assertThat(claim.body().loaded()).as("body read").isEqualTo(!row.payload.endsWith("bytes"));
  }
}
