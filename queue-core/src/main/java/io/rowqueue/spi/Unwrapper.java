package io.rowqueue.spi;

/** Undoes what the {@link Wrapper} of the same name did. Implementations are thread-safe. */
public interface Unwrapper {

  /** How headers name it. */
  String name();

  /**
   * What was wrapped; {@code bytes} are not changed.
   *
   * <p>Whatever else it throws, such as that a key service did not answer, is a failed attempt: the
   * message is retried as if its handler had thrown that.
   *
   * @param most how many bytes it may have; nothing beyond is ever held in memory
   * @throws io.rowqueue.PayloadException if {@code bytes} were not made by its wrapper, or were
   *     changed since: a dead letter at once, since no attempt reads other bytes
   * @throws io.rowqueue.spi.UnreadableException if something is missing here to undo it, and
   *     another worker may have it: given back, and no attempt is counted
   * @throws io.rowqueue.InvalidMessageException if it has more than {@code most} bytes
   */
  byte[] unwrap(byte[] bytes, Place place, int most);
}
