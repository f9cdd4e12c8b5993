package io.rowqueue.proof.model;

import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.proof.model.Scenario.Choices;
import io.rowqueue.proof.model.World.Held;
import io.rowqueue.proof.model.World.Life;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/** The ways to end a claim, or to mark it started; each says whether the claim was still held. */
@SuppressWarnings("ImmutableEnumChecker") // what they hold is stateless
enum Settling {
  ACK_GROUPED(
      (protocol, claim) -> protocol.get(Settler.class).ackAll(List.of(claim)) == 1, Model::ack),
  ACK_IN_TRANSACTION(
      (protocol, claim) ->
          unlessLost(
              () ->
                  protocol
                      .get(Transactions.class)
                      .run(
                          Transition.ACK,
                          tx -> {
                            protocol.get(Settler.class).ack(tx, claim);
                            return claim;
                          })),
      Model::ack),
  RETRY(
      (protocol, claim) -> protocol.get(Settler.class).retry(claim, World.ERROR, Model.BACKOFF),
      (model, held) -> model.retry(held, World.ERROR.summary(), Model.BACKOFF)),
  RETRY_AT_ONCE(
      (protocol, claim) -> protocol.get(Settler.class).retry(claim, World.ERROR, Duration.ZERO),
      (model, held) -> model.retry(held, World.ERROR.summary(), Duration.ZERO)),
  RELEASE(
      (protocol, claim) -> protocol.get(Settler.class).release(claim, Duration.ofSeconds(1)),
      (model, held) -> model.release(held, Duration.ofSeconds(1))),
  RELEASE_AT_ONCE(
      (protocol, claim) -> protocol.get(Settler.class).releaseAll(List.of(claim)) == 1,
      (model, held) -> model.release(held, Duration.ZERO)),
  DEAD_LETTER(
      (protocol, claim) ->
          protocol
              .get(Settler.class)
              .deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, World.ERROR),
      (model, held) ->
          model.deadLetter(held, DeadLetterReason.PERMANENT_FAILURE, World.ERROR.summary())),
  RELEASE_UNSTARTED(
      (protocol, claim) -> protocol.get(ClaimStore.class).release(List.of(claim)) == 1,
      Model::release),
  START(
      (protocol, claim) -> unlessLost(() -> protocol.get(ClaimStore.class).start(claim)),
      Model::start);

  private final BiPredicate<Protocol, Claim> real;
  private final BiPredicate<Model, Held> model;

  Settling(BiPredicate<Protocol, Claim> real, BiPredicate<Model, Held> model) {
    this.real = real;
    this.model = model;
  }

  /** A worker settles a claim that it has in hand; which may have been lost without its knowing. */
  static void settle(World world, Choices choices) {
    Life life = choices.of(world.withWaiting());
    Held held = choices.of(world.waitingOf(life));
    Settling settling = choices.of(values());
    world.say("%s settles %s: %s".formatted(life, world.name(held), settling));
    settling.inBoth(world, held);
    if (settling != START) {
      world.drop(life, held);
    }
  }

  static List<Held> past(World world) {
    return Stream.concat(world.pastInReach().stream(), world.runningInReach().stream()).toList();
  }

  /**
   * A zombie settles a claim that was settled, reaped, handed back or forgotten long ago, or a
   * watch one whose handler still runs. Only where nobody has ended it yet may anything change.
   */
  static void settlePast(World world, Choices choices) {
    Held held = choices.of(past(world));
    Settling settling = choices.of(values());
    world.say("a zombie settles %s: %s".formatted(world.name(held), settling));
    settling.inBoth(world, held);
  }

  /** A worker acks all that it has in hand in one transaction, and a zombie's claim among them. */
  static void ackMany(World world, Choices choices) {
    Life life = choices.of(world.withWaiting());
    List<Held> waiting = world.waitingOf(life);
    List<Held> all = new ArrayList<>(waiting);
    List<Held> past = world.pastInReach();
    if (choices.oneIn(2) && !past.isEmpty()) {
      all.add(choices.of(past));
    }
    world.say("%s acks together %s".formatted(life, all.stream().map(world::name).toList()));
    int acked = world.protocol.get(Settler.class).ackAll(all.stream().map(Held::claim).toList());
    long expected = all.stream().filter(world.model::ack).count();
    world.answered("acked", (long) acked, expected);
    waiting.forEach(held -> world.drop(life, held));
    if (acked < all.size()) {
      world.happened("some of a grouped ack are lost");
    }
  }

  /** Does it in both, and checks that both say the same. */
  private void inBoth(World world, Held held) {
    boolean ended = real.test(world.protocol, held.claim());
    world.answered(this + " found the claim held", ended, model.test(world.model, held));
    world.happened(this + (ended ? "" : " is lost"));
  }

  private static boolean unlessLost(Runnable action) {
    try {
      action.run();
      return true;
    } catch (ClaimLostException e) {
      return false;
    }
  }

  @Override
  public String toString() {
    return Step.words(this);
  }
}
