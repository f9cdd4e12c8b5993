package io.rowqueue.spi;

/** Reverses the {@link Wrapper} of the same name. Implementations must be thread-safe. */
public interface Unwrapper {

  /** The wrapper's name in headers. */
  String name();

  /**
   * Unwraps {@code bytes}, which are not changed.
   *
   * <p>Any other exception, for example that a key service did not respond, is a failed attempt:
   * the message is retried as if its handler had thrown it.
   *
   * @param most the maximum size of the result in bytes; more must never be held in memory
   * @throws io.rowqueue.PayloadException if {@code bytes} were not produced by its wrapper, or were
   *     changed since: dead-lettered at once, since no attempt can succeed
   * @throws io.rowqueue.spi.UnreadableException if this worker lacks something that another worker
   *     may have: released, and no attempt is counted
   * @throws io.rowqueue.InvalidMessageException if the result has more than {@code most} bytes
   */
  byte[] unwrap(byte[] bytes, Place place, int most);
}
