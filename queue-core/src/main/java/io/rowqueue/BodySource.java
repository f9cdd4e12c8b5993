package io.rowqueue;

import java.io.IOException;
import java.io.InputStream;

/**
 * A payload that is read from a stream and never held in memory as a whole.
 *
 * @see NewMessage#streamed
 */
@FunctionalInterface
public interface BodySource {

  /**
   * A new stream of the same bytes, which the producer closes. Called once for each run of the
   * enqueuing transaction, and for each copy of a published message.
   *
   * @throws IOException if it cannot be opened; then nothing is enqueued
   */
  InputStream open() throws IOException;
}
