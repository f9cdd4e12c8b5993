package io.rowqueue.spi;

import org.jspecify.annotations.Nullable;

/** Wraps encoded payloads before they are enqueued. Implementations are thread-safe. */
public interface Wrapper {

  /** What a wrapper is for, in the order in which they are applied. */
  enum Kind {
    /** Makes payloads smaller. */
    COMPRESSION,
    /** Makes them unreadable without a key, which leaves nothing to compress. */
    SEAL
  }

  /** How headers name it: 1 to 32 small letters, digits and hyphens. */
  String name();

  /** What it is for. */
  Kind kind();

  /**
   * The wrapped {@code payload}, which is not changed; null to leave it as it is.
   *
   * @throws io.rowqueue.PayloadException if it cannot be wrapped
   */
  byte @Nullable [] wrap(byte[] payload, Place place);
}
