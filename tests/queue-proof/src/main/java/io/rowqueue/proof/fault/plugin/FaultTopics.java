package io.rowqueue.proof.fault.plugin;

import java.time.Duration;
import java.util.List;

/** The topics of the fault harness, and the limits of those that have one. */
public final class FaultTopics {

  /** Each message in a transaction of its own. */
  public static final String ALONE = "fault.alone";

  public static final String SHARED = "fault.shared";

  public static final String BATCH = "fault.batch";

  /** Handled without a transaction: its effect is a line in the journal, as an e-mail would be. */
  public static final String OUTSIDE = "fault.outside";

  /** With ordering keys; a dead letter leaves its key. */
  public static final String ORDERED = "fault.ordered";

  /** With ordering keys; a dead letter blocks its key until it is redriven. */
  public static final String HELD = "fault.held";

  public static final String RESULT = "fault.result";

  /** Published to, never claimed: {@link #COPIES} are subscribed to it. */
  public static final String SOURCE = "fault.source";

  /** The subscribers of {@link #SOURCE}, one handled alone and one in shared commits. */
  public static final List<String> COPIES = List.of("fault.copy.alone", "fault.copy.shared");

  /** Scheduled once a second, every missed run is made up for. */
  public static final String TICK = "fault.tick";

  /** Scheduled as {@link Timetable} says. */
  public static final String SCHEDULED = "fault.scheduled";

  /** At most {@link #MOST_LIMITED} are handled at one time, in the whole cluster. */
  public static final String LIMITED = "fault.limited";

  public static final int MOST_LIMITED = 3;

  /** Only so many messages of {@link #LIMITED} may wait before producers are refused. */
  public static final int MOST_DEEP = 25;

  /** At most {@link #MOST_KEY_LIMITED} of a key are handled at one time. */
  public static final String KEY_LIMITED = "fault.limited.key";

  public static final int MOST_KEY_LIMITED = 3;

  /** At most {@link #RATE} begin in a second. */
  public static final String RATED = "fault.rated";

  public static final int RATE = 20;

  /** At most {@link #KEY_RATE} of a key are admitted a second, {@link #MOST_KEY_RATED} at once. */
  public static final String KEY_RATED = "fault.rated.key";

  public static final int KEY_RATE = 10;

  /** How many of a key of {@link #KEY_RATED} may be admitted and not have ended. */
  public static final int MOST_KEY_RATED = 2;

  /** Its handler adds to the counter of this name, or takes from it. */
  public static final String COUNTED = "fault.counted";

  /** More than that counter ever holds. */
  public static final long NEVER_THERE = 1_000_000_000;

  /** Published to, never claimed: {@link #FLEETING} is subscribed to it now and then. */
  public static final String FLEETING_SOURCE = "fault.fleeting.source";

  /** Gets copies while it is subscribed. */
  public static final String FLEETING = "fault.fleeting";

  /** Its payload is compressed and encrypted, and its handler reports progress. */
  public static final String ENCRYPTED = "fault.encrypted";

  /** Its handler takes longer than its timeout, which it extends. */
  public static final String LONG = "fault.long";

  public static final int LONG_MILLIS = 1_300;

  public static final Duration LONG_TIMEOUT = Duration.ofSeconds(1);

  static final Duration LONGEST = Duration.ofSeconds(5);

  /** Its handler reads {@link Action.Version2}, and producers still write {@link Action}. */
  public static final String UPCAST = "fault.upcast";

  public static final String FORMER = "fault.former";

  public static final String STREAMED = "fault.streamed";

  public static final String COMPLETED = "fault.completed";

  /** A member whose handler adds a part to its own batch, and a nested batch of parts. */
  public static final String ADDING = "fault.adding";

  /** Added to a batch by a handler; its payload is an {@link Action.Part}. */
  public static final String PART = "fault.part";

  public static final int NESTED = 2;

  public static final String NESTED_COMPLETED = "fault.nested";

  public static final String STEP = "fault.step";

  /** No handler is bound to it: workers must leave it alone. */
  public static final String UNKNOWN = "fault.unknown";

  /** A deduplication key is held until its message has left the queue. */
  public static final String KEYED_ALIVE = "fault.keyed.alive";

  /** The same, and while it is held the producer is refused. */
  public static final String KEYED_REFUSED = "fault.keyed.refused";

  /** A deduplication key is held until its message is claimed; handled in shared commits. */
  public static final String KEYED_WAITING = "fault.keyed.waiting";

  /** As {@link #KEYED_WAITING}, and the next message replaces the one that waits. */
  public static final String KEYED_REPLACED = "fault.keyed.replaced";

  public static final List<String> KEYED =
      List.of(KEYED_ALIVE, KEYED_REFUSED, KEYED_WAITING, KEYED_REPLACED);

  /** Those of {@link #KEYED} whose keys are held until their messages have left the queue. */
  public static final List<String> KEYED_WHILE_ALIVE = List.of(KEYED_ALIVE, KEYED_REFUSED);

  private FaultTopics() {}
}
