package io.rowqueue.proof.model;

import java.util.Locale;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** Everything that can happen in a play, and how often it does compared with the rest. */
enum Deed {
  ENQUEUE(8, new Enqueue()),
  BEGIN_ENQUEUE(4, new BeginEnqueue()),
  END_ENQUEUE(8, new EndEnqueue()),
  INSERT_BY_SQL(3, new InsertBySql()),
  BORN(6, new Born()),
  CLAIM(18, new ClaimSome()),
  RENEW(4, new Renew()),
  CRASH(3, new CrashWorker()),
  LEAVE(2, new Leave()),
  FORGET(4, new Forget()),
  RECONCILE(3, new Reconcile()),
  HAND_BACK(4, new HandBack()),
  PROMOTE(4, new Promote()),
  SETTLE(12, new SettleHeld()),
  SETTLE_PAST(8, new SettlePast()),
  ACK_MANY(4, new AckMany()),
  BEGIN(16, new Begin()),
  GO_ON(18, new GoOn()),
  COMMIT(16, new CommitHandling()),
  DECLARE_DEAD(4, new DeclareDead()),
  REAP(6, new Reap()),
  REMOVE_DEAD(4, new RemoveDead()),
  TIME(8, new TimePasses()),
  REDRIVE(5, new Redrive()),
  CHANGE(5, new Change()),
  SET_TOPIC(3, new SetTopic()),
  READ_SETTINGS(3, new ReadSettings()),
  DRAIN(1, new Drain()),
  PRUNE(8, new Prune()),
  LOOK(3, new Look());

  private static final int WEIGHTS = Stream.of(values()).mapToInt(deed -> deed.weight).sum();

  private final int weight;

  @SuppressWarnings("ImmutableEnumChecker") // actions are stateless
  private final Action action;

  Deed(int weight, Action action) {
    this.weight = weight;
    this.action = action;
  }

  static Deed random(RandomGenerator random) {
    int left = random.nextInt(WEIGHTS);
    for (Deed deed : values()) {
      left -= deed.weight;
      if (left < 0) {
        return deed;
      }
    }
    throw new IllegalStateException("weights do not add up");
  }

  Action action() {
    return action;
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
