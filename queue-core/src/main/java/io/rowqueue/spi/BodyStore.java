package io.rowqueue.spi;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * A place outside the database for large payloads. It shares no transaction with the message: what
 * it has before the COMMIT is left over if there is none, and workers that have the store delete it
 * later. Implementations are thread-safe.
 */
public interface BodyStore {

  /** Stands in {@code queue_payload_ref.store}: 1 to 32 ASCII characters, the same everywhere. */
  String name();

  /**
   * Keeps what {@code body} gives, to its end; durable when this returns. Does not close it.
   *
   * @return a new reference each time, of 1 to 255 ASCII characters
   * @throws IOException if it cannot be read or kept; then nothing is enqueued
   */
  String write(InputStream body) throws IOException;

  /**
   * The bytes that were written under {@code reference}, from the beginning.
   *
   * @throws java.nio.file.NoSuchFileException if it is not there, or never was one of this store's:
   *     its message is a dead letter at once
   * @throws IOException if it cannot be read just now: its message is given back, and no attempt is
   *     counted
   */
  InputStream open(String reference) throws IOException;

  /**
   * Deletes it; fine if it is not there.
   *
   * @throws IOException if it may still be there
   */
  void delete(String reference) throws IOException;

  /**
   * References of at least that age, for the clean-up of what no message names. A store with rules
   * of its own for that gives none.
   *
   * @throws IOException if they cannot be listed
   */
  Stream<String> olderThan(Duration age) throws IOException;
}
