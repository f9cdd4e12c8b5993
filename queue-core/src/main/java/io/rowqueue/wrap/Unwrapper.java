package io.rowqueue.wrap;

/** Undoes what the {@link Wrapper} of the same name did. Implementations are thread-safe. */
public interface Unwrapper {

  /** How headers name it. */
  String name();

  /**
   * What was wrapped; {@code bytes} are not changed.
   *
   * @param most how many bytes it may have; nothing beyond is ever held in memory
   * @throws io.rowqueue.message.PayloadException if {@code bytes} were not made by its wrapper, or
   *     were changed since
   * @throws io.rowqueue.message.UnreadableException if something is missing here to undo it
   * @throws io.rowqueue.message.InvalidMessageException if it has more than {@code most} bytes
   */
  byte[] unwrap(byte[] bytes, Place place, int most);
}
