package io.rowqueue.reap;

/**
 * Releases what the dead held. Any worker may run it at any time, several at once. Thread-safe.
 * Every method throws {@link io.rowqueue.QueueException} if the database fails after every
 * repetition.
 */
public interface Reaper {

  /**
   * Whether any of the others has something to do: one read for all three, so that a queue where
   * everybody lives costs next to nothing.
   */
  boolean hasWork();

  /**
   * Declares every worker dead whose lease has run out.
   *
   * @return how many this call declared dead
   */
  int declareDead();

  /**
   * Releases claims that no live worker holds, adds the lost claim where it counts, and quarantines
   * messages that reach {@code maxLost}. At most {@code limit} claims.
   */
  Reaped reap(int limit, int maxLost);

  /**
   * Removes the rows of the dead that hold nothing any more.
   *
   * @return how many
   */
  int removeDead();

  /**
   * What a reap did.
   *
   * @param released messages that are available again
   * @param quarantined messages that became dead letters
   */
  record Reaped(int released, int quarantined) {

    /** Both together. */
    public int total() {
      return released + quarantined;
    }
  }
}
