package io.rowqueue.internal.order;

import io.rowqueue.internal.database.PiggybackQuery;
import java.time.Duration;
import java.util.List;

/**
 * Lets messages with ordering keys into their lines, and the first of each line go. Any worker may
 * at any time, several at once: they pass over what another one has. Thread-safe, though one thread
 * a worker is what it is made for.
 */
public interface Admission {

  /**
   * Whether anybody uses ordering keys, whether a line has stalled, and whether the limit of one
   * has changed: asked along with an idle worker's look. Without the answer nothing is admitted.
   */
  List<PiggybackQuery> questions();

  /**
   * Admits up to some hundred messages that have arrived, if anybody uses ordering keys; and looks
   * after stalled lines, if there are any.
   *
   * @return how many messages changed their state; more than 0 means that there may be more
   * @throws io.rowqueue.QueueException if the database fails after every repetition
   */
  int admit();

  /**
   * Messages have become due, perhaps with ordering keys: the next {@link #admit} looks for them,
   * whatever it was told. Where all have delays, nothing else says that anybody uses keys.
   */
  void promoted();

  /**
   * How long nobody needs to admit for the sake of lines that begin at a rate, {@code longest} at
   * most.
   */
  Duration wait(Duration longest);

  /**
   * Has the lines looked after that may have room for more, since the limit of their topic for each
   * key has changed. {@link #admit} does so when it was told that one has.
   *
   * @return how many topics had changed
   */
  int applyLimits();

  /** The same as {@link #admit} without having been told that there is anything. */
  int admitNow();
}
