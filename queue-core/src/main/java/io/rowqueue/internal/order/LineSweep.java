package io.rowqueue.internal.order;

/**
 * Tends the lines now and then. Any worker may at any time, several at once. Thread-safe. Every
 * method throws {@link io.rowqueue.QueueException} if the database fails after every repetition.
 */
public interface LineSweep {

  /**
   * Marks lines whose head is in no table, as a message is that somebody deleted by hand or that a
   * worker without knowledge of lines has handled; and those that a dead letter holds which, by the
   * topic's setting, shall hold none.
   *
   * @return how many; {@code batch} means that there may be more
   */
  int sweep(int batch);

  /**
   * Deletes what was known of keys under which nobody has enqueued for a day, and of lines that
   * have been empty for ten minutes. Walks over all of them, {@code batch} at a time.
   *
   * @return how many
   */
  int prune(int batch);
}
