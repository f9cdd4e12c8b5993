package io.rowqueue.spi;

import org.jspecify.annotations.Nullable;

/** Wraps encoded payloads before they are enqueued. Implementations must be thread-safe. */
public interface Wrapper {

  /** The purpose of a wrapper, in the order in which wrappers are applied. */
  enum Kind {
    /** Makes payloads smaller. */
    COMPRESSION,
    /** Encrypts them; encrypted bytes cannot be compressed. */
    SEAL
  }

  /** The wrapper's name in headers: 1 to 32 lower-case letters, digits and hyphens. */
  String name();

  /** Its purpose. */
  Kind kind();

  /**
   * Wraps {@code payload}, which is not changed; returns null to leave it unwrapped.
   *
   * @throws io.rowqueue.PayloadException if it cannot be wrapped
   */
  byte @Nullable [] wrap(byte[] payload, Place place);
}
