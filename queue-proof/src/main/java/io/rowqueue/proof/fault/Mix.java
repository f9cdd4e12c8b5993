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
  private static final int HELD_LINES = 4;

  /** So few that more of a key arrive at one time than may be at work. */
  private static final int WIDE_LINES = 2;

  /** So long that several of a key would be at work at one time. */
  private static final int LEAST_WIDE_MILLIS = 20;

  /** One in so many holds its line as a dead letter until it is redriven. */
  private static final int ONE_HELD_IN = 4;

  /** So few that several of a line are there at one time. */
  private static final int FORMER_LINES = 2;

  /** One in so many of a former name is in no line. */
  private static final int ONE_IN_NO_LINE_IN = 4;

  /** So few that more of a key arrive at one time than may begin in a second. */
  private static final int KEY_RATED_LINES = 2;

  private static final int KEYS = 20;

  /** Characters of an old payload: its handler is to count them. */
  private static final int MOST_OF_OLD = 1_000;

  private static final int ONE_ADDS_TWICE_IN = 3;
  private static final long KEYS_FOR_NANOS = 2_000_000_000;

  /** Characters; larger ones lie beside their rows. */
  static final int LARGE_FROM = 40_000;

  /** Beside its row; a claim reads no more than 32 KiB. */
  private static final String LARGE = "x".repeat(Mix.LARGE_FROM);

  /** Stays in its row, compressed. */
  private static final String COMPRESSIBLE = "z".repeat(4_000);

  /** Outside the database: the producer's store takes it. */
  private static final String HUGE = "y".repeat(Producer.STORED_FROM);

  /** The next message. */
  NewMessage next(RandomGenerator random) {
    What what = random.nextInt(oneIn) == 0 ? bad.get(random.nextInt(bad.size())) : What.SUCCEED;
    String topic = topic(what, random);
    NewMessage message =
        NewMessage.of(topic, deed(topic, what, random)).withPriority(random.nextInt(3) - 1);
    return switch (topic) {
      // A delay would take it out of the order that the audit knows.
      case Deed.ORDERED -> message.withOrderingKey(any(lines(), random));
      case Deed.HELD -> message.withOrderingKey(any(heldLines(), random));
      case Deed.WIDE -> message.withOrderingKey(any(wideLines(), random));
      case Deed.FORMERLY -> maybeInLine(message, what, random);
      case Deed.ALONE -> maybeTwice(maybeLater(message, random), random);
      default -> maybeLater(message, random);
    };
  }

  /** A member that adds others to its batch; a part of them fails once, when it has added. */
  static NewMessage adding(RandomGenerator random) {
    What what = random.nextInt(ONE_ADDS_TWICE_IN) == 0 ? What.FAIL_ONCE : What.SUCCEED;
    return NewMessage.of(Deed.ADDING, new Deed(what, random.nextInt(MOST_MILLIS), null));
  }

  /** One that holds its line as a dead letter. */
  static NewMessage held(RandomGenerator random) {
    return NewMessage.of(Deed.HELD, new Deed(What.REJECT_ONCE, 0, null))
        .withOrderingKey(any(heldLines(), random));
  }

  private static Deed deed(String topic, What what, RandomGenerator random) {
    int millis = random.nextInt(MOST_MILLIS);
    return switch (topic) {
      case Deed.HELD -> new Deed(maybeHeld(what, random), millis, filler(topic, random));
      case Deed.WIDE -> new Deed(what, LEAST_WIDE_MILLIS + millis, null);
      default -> new Deed(what, millis, filler(topic, random));
    };
  }

  private static What maybeHeld(What what, RandomGenerator random) {
    return random.nextInt(ONE_HELD_IN) == 0 ? What.REJECT_ONCE : what;
  }

  private static <T> T any(List<T> all, RandomGenerator random) {
    return all.get(random.nextInt(all.size()));
  }

  /** The ordering keys of messages whose dead letters are set aside. */
  static List<String> lines() {
    return keys("line-", LINES);
  }

  /** Those of messages whose dead letters hold their lines. */
  static List<String> heldLines() {
    return keys("held-", HELD_LINES);
  }

  /** Those of messages of which several of a key may be at work at one time. */
  static List<String> wideLines() {
    return keys("wide-", WIDE_LINES);
  }

  /** Those of messages under a former name. */
  static List<String> formerLines() {
    return keys("former-", FORMER_LINES);
  }

  /** Those of messages of which only so many of a key may begin in a second. */
  static List<String> keyRatedLines() {
    return keys("rated-", KEY_RATED_LINES);
  }

  private static List<String> keys(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(number -> prefix + number).toList();
  }

  private static NewMessage maybeInLine(NewMessage message, What what, RandomGenerator random) {
    return staysInLine(what) && random.nextInt(ONE_IN_NO_LINE_IN) > 0
        ? message.withOrderingKey(any(formerLines(), random))
        : maybeLater(message, random);
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
    if (topic.equals(Deed.TODAY) || topic.equals(Deed.FORMERLY)) {
      return "w".repeat(random.nextInt(1, MOST_OF_OLD));
    }
    return switch (random.nextInt(80)) {
      case 0, 1 -> LARGE;
      case 2, 3 -> HUGE;
      default -> null;
    };
  }

  private static String topic(What what, RandomGenerator random) {
    return switch (random.nextInt(40)) {
      case 0, 1, 2, 3 -> hasNoConnection(what) ? Deed.OUTSIDE : Deed.ALONE;
      case 4, 5, 6, 7, 8 -> Deed.SHARED;
      case 9, 10, 11, 12, 13 -> Deed.BATCH;
      case 14, 15, 16, 17 -> staysInLine(what) ? Deed.ORDERED : Deed.ALONE;
      case 18 -> Deed.RESULT;
      case 19, 20 -> Deed.SOURCE;
      case 21, 22 -> Deed.LIMITED;
      case 23, 24 -> Deed.SEALED;
      case 25, 26, 27 -> staysInLine(what) ? Deed.HELD : Deed.ALONE;
      case 28, 29 -> Deed.WIDE;
      case 30, 31 -> Deed.TODAY;
      case 32, 33 -> Deed.FORMERLY;
      case 34, 35 -> Deed.COUNTED;
      default -> Deed.ALONE;
    };
  }

  /**
   * Dead letters leave their line, and come back to another place of it; or hold it, and would
   * become dead letters again and again.
   */
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
