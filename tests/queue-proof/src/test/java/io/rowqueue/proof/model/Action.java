package io.rowqueue.proof.model;

import io.rowqueue.proof.model.Scenario.Choices;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** Everything that can happen in a play, and how often it does compared with the rest. */
@SuppressWarnings("ImmutableEnumChecker") // what they hold is stateless
enum Action {
  ENQUEUE(8, Action::always, ProducerSteps::enqueue),
  BEGIN_ENQUEUE(4, world -> world.producers.size() < 2, ProducerSteps::begin),
  END_ENQUEUE(8, world -> !world.producers.isEmpty(), ProducerSteps::end),
  INSERT_BY_SQL(3, Action::always, ProducerSteps::insertBySql),
  BORN(6, world -> world.lives.size() < 3, WorkerSteps::start),
  CLAIM(18, ClaimSteps::canClaim, ClaimSteps::claim),
  RENEW(4, Action::hasWorkers, WorkerSteps::renew),
  CRASH(3, Action::hasWorkers, WorkerSteps::crash),
  LEAVE(2, world -> !WorkerSteps.idle(world).isEmpty(), WorkerSteps::leave),
  FORGET(4, Action::hasWaiting, ClaimSteps::forget),
  RECONCILE(3, Action::hasWorkers, ClaimSteps::reconcile),
  RELEASE_UNSTARTED(4, Action::hasWaiting, ClaimSteps::release),
  PROMOTE(4, Action::always, ClaimSteps::promote),
  SETTLE(12, Action::hasWaiting, Settling::settle),
  SETTLE_PAST(8, world -> !Settling.past(world).isEmpty(), Settling::settlePast),
  ACK_MANY(4, Action::hasWaiting, Settling::ackMany),
  BEGIN(16, world -> world.handlings.size() < 3 && hasWaiting(world), HandlerSteps::begin),
  GO_ON(18, world -> !HandlerSteps.unlocked(world).isEmpty(), HandlerSteps::goOn),
  COMMIT(16, HandlerSteps::canCommit, HandlerSteps::commit),
  DECLARE_DEAD(4, Action::hasWorkerRows, WorkerSteps::declareDead),
  REAP(6, Action::always, WorkerSteps::reap),
  REMOVE_DEAD(4, WorkerSteps::hasDead, WorkerSteps::removeDead),
  TIME(8, Action::always, OperatorSteps::time),
  REDRIVE(5, Action::hasMessages, OperatorSteps::redrive),
  CHANGE(5, Action::hasMessages, OperatorSteps::change),
  SET_TOPIC(3, Action::always, OperatorSteps::setTopic),
  READ_SETTINGS(3, Action::always, WorkerSteps::readSettings),
  DRAIN(1, Action::hasWorkerRows, OperatorSteps::drain),
  PRUNE(8, world -> !world.model.settings.archive.isEmpty(), WorkerSteps::prune),
  POLL(3, Action::always, OperatorSteps::read);

  private static final int WEIGHTS = Stream.of(values()).mapToInt(deed -> deed.weight).sum();

  private final int weight;
  private final Predicate<World> possible;
  private final Body body;

  Action(int weight, Predicate<World> possible, Body body) {
    this.weight = weight;
    this.possible = possible;
    this.body = body;
  }

  /** What an actor does: to the real protocol, and to the model. */
  private interface Body {

    /** Says what it does, does it, and checks what it is answered. */
    void play(World world, Choices choices) throws Exception;
  }

  static Action random(RandomGenerator random) {
    int left = random.nextInt(WEIGHTS);
    for (Action deed : values()) {
      left -= deed.weight;
      if (left < 0) {
        return deed;
      }
    }
    throw new IllegalStateException("weights do not add up");
  }

  /** Whether the play stands so that it can be done, without waiting for anybody. */
  boolean isPossible(World world) {
    return possible.test(world);
  }

  void play(World world, Choices choices) throws Exception {
    body.play(world, choices);
  }

  private static boolean always(World world) {
    return true;
  }

  private static boolean hasWorkers(World world) {
    return !world.lives.isEmpty();
  }

  private static boolean hasWorkerRows(World world) {
    return !world.model.workers.isEmpty();
  }

  private static boolean hasWaiting(World world) {
    return !world.withWaiting().isEmpty();
  }

  private static boolean hasMessages(World world) {
    return !world.idsInReach().isEmpty();
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
