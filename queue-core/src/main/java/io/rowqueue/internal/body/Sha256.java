package io.rowqueue.internal.body;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Creates digests, which detect damaged payloads. Thread-safe. */
public final class Sha256 {

  private Sha256() {}

  /** Creates a new digest. */
  public static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
