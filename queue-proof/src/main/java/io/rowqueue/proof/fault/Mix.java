package io.rowqueue.proof.fault;

import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.proof.fault.plugin.Deed.What;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * What producers enqueue: mostly what ends well, over every kind of binding, some of it later, some
 * of it large.
 *
 * @param bad the bad ends of this run; one message in {@code oneIn} has one
 */
record Mix(List<What> bad, int oneIn) {

  /** Failures as every queue has them. */
  static final Mix USUAL =
      new Mix(List.of(What.FAIL_ONCE, What.FAIL_ONCE, What.REJECT, What.GIVE_BACK), 20);

  private static final int MOST_MILLIS = 8;
  private static final int LARGE = 40_000;
  private static final String FILLER = "x".repeat(LARGE);

  /** The next message. */
  NewMessage next(RandomGenerator random) {
    What what = random.nextInt(oneIn) == 0 ? bad.get(random.nextInt(bad.size())) : What.SUCCEED;
    String topic = topic(what, random);
    String filler = random.nextInt(200) == 0 ? FILLER : null;
    NewMessage message =
        NewMessage.of(topic, new Deed(what, random.nextInt(MOST_MILLIS), filler))
            .withPriority(random.nextInt(3) - 1);
    return random.nextInt(20) == 0
        ? message.withDelay(Duration.ofMillis(random.nextInt(1_000)))
        : message;
  }

  private static String topic(What what, RandomGenerator random) {
    int tenth = random.nextInt(10);
    if (tenth == 0 && hasNoConnection(what)) {
      return Deed.OUTSIDE;
    }
    return tenth < 3 ? Deed.SHARED : tenth < 5 ? Deed.BATCH : Deed.ALONE;
  }

  /** What a handling without a transaction can do, too. */
  private static boolean hasNoConnection(What what) {
    return switch (what) {
      case CLOSE, COMMIT, ROLL_BACK, LEAK, SWALLOW_TIMEOUT, SWALLOW_DEADLOCK -> false;
      default -> true;
    };
  }
}
