package io.rowqueue.spi;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * A store for large payloads outside the database. It does not take part in the transaction of the
 * message: a payload written before a COMMIT that never happens remains, and workers that have the
 * store delete it later. Implementations must be thread-safe.
 */
public interface BodyStore {

  /**
   * The value of {@code queue_payload_ref.store}: 1 to 32 ASCII characters, the same in all
   * processes.
   */
  String name();

  /**
   * Stores {@code body}, read to its end; durable when this returns. Does not close it.
   *
   * @return a new reference each time, of 1 to 255 ASCII characters
   * @throws IOException if it cannot be read or stored; then nothing is enqueued
   */
  String write(InputStream body) throws IOException;

  /**
   * Opens the bytes that were written under {@code reference}.
   *
   * @throws java.nio.file.NoSuchFileException if it does not exist, or is not a reference of this
   *     store: its message is dead-lettered at once
   * @throws IOException if it cannot be read at the moment: its message is released, and no attempt
   *     is counted
   */
  InputStream open(String reference) throws IOException;

  /**
   * Deletes it; does nothing if it does not exist.
   *
   * @throws IOException if it may still exist
   */
  void delete(String reference) throws IOException;

  /**
   * References of at least that age, for deleting those that no message uses. A store with
   * retention rules of its own returns none.
   *
   * @throws IOException if they cannot be listed
   */
  Stream<String> olderThan(Duration age) throws IOException;
}
