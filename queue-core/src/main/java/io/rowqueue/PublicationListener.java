package io.rowqueue;

/** Is told of what was published and reaches nobody, on the publisher's thread. Thread-safe. */
@FunctionalInterface
public interface PublicationListener {

  /** Looks on and does nothing. */
  PublicationListener NONE = (source, messages) -> {};

  /**
   * No topic was subscribed to {@code source} when {@code messages} of one call were published
   * under it, so nothing of them is stored. Told when the call returns; the caller's transaction
   * may be rolled back after that.
   */
  void publishedToNobody(Topic source, int messages);
}
