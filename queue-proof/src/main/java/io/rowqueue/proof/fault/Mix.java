package io.rowqueue.proof.fault;

import io.rowqueue.message.Deduplication;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.proof.fault.plugin.Deed.What;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

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
  private static final int LINES = 8;
  private static final int KEYS = 20;
  private static final long KEYS_FOR_NANOS = 2_000_000_000;

  /** Beside its row; a claim reads no more than 32 KiB. */
  private static final String LARGE = "x".repeat(40_000);

  /** Stays in its row, compressed. */
  private static final String COMPRESSIBLE = "z".repeat(4_000);

  /** Outside the database: the producer's store takes it. */
  private static final String HUGE = "y".repeat(Producer.STORED_FROM);

  /** The next message. */
  NewMessage next(RandomGenerator random) {
    What what = random.nextInt(oneIn) == 0 ? bad.get(random.nextInt(bad.size())) : What.SUCCEED;
    String topic = topic(what, random);
    NewMessage message =
        NewMessage.of(topic, new Deed(what, random.nextInt(MOST_MILLIS), filler(topic, random)))
            .withPriority(random.nextInt(3) - 1);
    return switch (topic) {
      // A delay would take it out of the order that the audit knows.
      case Deed.ORDERED -> message.withOrderingKey(line(random.nextInt(LINES)));
      case Deed.ALONE -> maybeTwice(maybeLater(message, random), random);
      default -> maybeLater(message, random);
    };
  }

  /** The ordering keys. */
  static List<String> lines() {
    return IntStream.range(0, LINES).mapToObj(Mix::line).toList();
  }

  private static String line(int number) {
    return "line-" + number;
  }

  private static NewMessage maybeLater(NewMessage message, RandomGenerator random) {
    return random.nextInt(20) == 0
        ? message.withDelay(Duration.ofMillis(random.nextInt(1_000)))
        : message;
  }

  /** Under keys that come again within seconds, and are held for longer than any run lasts. */
  private static NewMessage maybeTwice(NewMessage message, RandomGenerator random) {
    if (random.nextInt(5) > 0) {
      return message;
    }
    String key = "key-" + System.nanoTime() / KEYS_FOR_NANOS + "-" + random.nextInt(KEYS);
    return message.withDeduplication(Deduplication.within(key, Duration.ofDays(1)));
  }

  private static @Nullable String filler(String topic, RandomGenerator random) {
    if (topic.equals(Deed.SEALED)) {
      return COMPRESSIBLE;
    }
    return switch (random.nextInt(80)) {
      case 0, 1 -> LARGE;
      case 2, 3 -> HUGE;
      default -> null;
    };
  }

  private static String topic(What what, RandomGenerator random) {
    return switch (random.nextInt(20)) {
      case 0, 1 -> hasNoConnection(what) ? Deed.OUTSIDE : Deed.ALONE;
      case 2, 3, 4 -> Deed.SHARED;
      case 5, 6, 7 -> Deed.BATCH;
      case 8, 9 -> staysInLine(what) ? Deed.ORDERED : Deed.ALONE;
      case 10 -> Deed.RESULT;
      case 11 -> Deed.SOURCE;
      case 12 -> Deed.LIMITED;
      case 13 -> Deed.SEALED;
      default -> Deed.ALONE;
    };
  }

  /** Dead letters leave their line, and come back to another place of it. */
  private static boolean staysInLine(What what) {
    return what != What.FAIL && what != What.REJECT && what != What.COMMIT;
  }

  /** What a handling without a transaction can do, too. */
  private static boolean hasNoConnection(What what) {
    return switch (what) {
      case CLOSE, COMMIT, ROLL_BACK, LEAK, SWALLOW_TIMEOUT, SWALLOW_DEADLOCK -> false;
      default -> true;
    };
  }
}
