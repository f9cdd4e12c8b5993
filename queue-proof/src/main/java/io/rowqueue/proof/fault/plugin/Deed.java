package io.rowqueue.proof.fault.plugin;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A message of the fault harness.
 *
 * @param what how its handling ends, once its effect is written
 * @param millis how long it takes
 * @param filler makes it as large as it should be
 */
public record Deed(What what, int millis, @Nullable String filler) {

  /** Handled one by one, each in a transaction of its own. */
  public static final String ALONE = "fault.alone";

  /** Handled in shared commits. */
  public static final String SHARED = "fault.shared";

  /** Handled in batches. */
  public static final String BATCH = "fault.batch";

  /** Handled without a transaction: its effect is a line in a file. */
  public static final String OUTSIDE = "fault.outside";

  /** Handled one of a line after another. */
  public static final String ORDERED = "fault.ordered";

  /** The same, and a dead letter holds its line until it is redriven. */
  public static final String HELD = "fault.held";

  /** Its handler gives something back, which is kept. */
  public static final String RESULT = "fault.result";

  /** Published under, never claimed: {@link #COPIES} are subscribed to it. */
  public static final String SOURCE = "fault.source";

  /** Get copies of what is published, one alone and one in shared commits. */
  public static final List<String> COPIES = List.of("fault.copy.alone", "fault.copy.shared");

  /** Comes by the clock, once a second. */
  public static final String TICK = "fault.tick";

  /** Comes by the clock, as {@link Timetable} says. */
  public static final String FIRED = "fault.fired";

  /** At most {@link #MOST_LIMITED} of it are handled at one time, in the whole cluster. */
  public static final String LIMITED = "fault.limited";

  /** The highest limit of {@link #LIMITED}, which changes all the time. */
  public static final int MOST_LIMITED = 3;

  /** At most {@link #MOST_WIDE} of a key are handled at one time. */
  public static final String WIDE = "fault.wide";

  /** The highest limit of the keys of {@link #WIDE}, which changes all the time. */
  public static final int MOST_WIDE = 3;

  /** At most {@link #RATE} of it are begun in a second. */
  public static final String RATED = "fault.rated";

  /** The limit of {@link #RATED}. */
  public static final int RATE = 20;

  /**
   * At most {@link #KEY_RATE} of a key are let go in a second, and {@link #MOST_KEY_RATED} of it
   * are let go and have not ended.
   */
  public static final String KEY_RATED = "fault.rated.key";

  /** The rate of each key of {@link #KEY_RATED}. */
  public static final int KEY_RATE = 10;

  /** The limit of each key of {@link #KEY_RATED}. */
  public static final int MOST_KEY_RATED = 2;

  /** Its handler adds to the counter of this name, or takes from it. */
  public static final String COUNTED = "fault.counted";

  /** More than that counter ever holds. */
  public static final long NEVER_THERE = 1_000_000_000;

  /** Published under, never claimed: {@link #FLEETING} is subscribed to it now and then. */
  public static final String FLEETING_SOURCE = "fault.fleeting.source";

  /** Gets copies while it is subscribed. */
  public static final String FLEETING = "fault.fleeting";

  /** Its payload is compressed and sealed, and its handler says how far it has come. */
  public static final String SEALED = "fault.sealed";

  /** Only {@link #MOST_DEEP} of {@link #LIMITED} may wait before producers are refused. */
  public static final int MOST_DEEP = 25;

  /** Its handler takes longer than its timeout, and says so. */
  public static final String LONG = "fault.long";

  /** How long a handling of {@link #LONG} takes. */
  public static final int LONG_MILLIS = 1_300;

  /** The timeout of {@link #LONG}, unless a handling extends its own. */
  public static final Duration LONG_TIMEOUT = Duration.ofSeconds(1);

  /** What a handling of {@link #LONG} may extend its timeout to. */
  static final Duration LONGEST = Duration.ofSeconds(5);

  /** Its handler reads {@link DeedOfToday}, and producers still write {@link Deed}. */
  public static final String TODAY = "fault.today";

  /** The former name of {@link #TODAY}, which half of them still use. */
  public static final String FORMERLY = "fault.formerly";

  /** Completes batches. */
  public static final String COMPLETED = "fault.completed";

  /** A member whose handler adds parts to its own batch, and a batch of them. */
  public static final String ADDING = "fault.adding";

  /** Added to a batch by a handler; its payload is a {@link Part}. */
  public static final String PART = "fault.part";

  /** How many parts a nested batch has. */
  public static final int INNER = 2;

  /** Completes nested batches. */
  public static final String INNER_COMPLETED = "fault.inner";

  /** A step of a chain; its payload is a {@link Step}. */
  public static final String STEP = "fault.step";

  /** Bound by nobody. */
  public static final String UNKNOWN = "fault.unknown";

  /** How a handling ends. */
  public enum What {
    /** Well. */
    SUCCEED,
    /** The first attempt fails. */
    FAIL_ONCE,
    /** No attempt ends well. */
    FAIL,
    /** No attempt can end well. */
    REJECT,
    /** The first claim cannot end well: it does once it is redriven. */
    REJECT_ONCE,
    /** The first claim is given back. */
    GIVE_BACK,
    /** The first attempt throws an {@link Error}. */
    ERROR,
    /** The first attempt heeds no interrupt and runs on until its connection is cut. */
    HANG,
    /** The first attempt closes its connection. */
    CLOSE,
    /** The first attempt calls commit. */
    COMMIT,
    /** The first attempt calls rollback. */
    ROLL_BACK,
    /** The first attempt keeps its connection and uses it when its handling is over. */
    LEAK,
    /** The first attempt meets a lock wait timeout, says nothing of it, and returns. */
    SWALLOW_TIMEOUT,
    /** The first attempt meets a deadlock, says nothing of it, and returns. */
    SWALLOW_DEADLOCK,
    /** Every attempt ends the process. */
    KILL
  }
}
