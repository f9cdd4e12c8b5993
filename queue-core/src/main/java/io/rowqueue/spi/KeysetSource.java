package io.rowqueue.spi;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.KeysetHandle;
import io.rowqueue.internal.seal.JsonKeyset;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;

/**
 * The source of a Tink keyset of AEAD keys. Thread-safe; two sources of the same keyset should be
 * equal, so that several plug-ins may use it. Logs show its {@code toString}.
 */
@FunctionalInterface
public interface KeysetSource {

  /**
   * The current keyset. Called at the start, and about once a minute while payloads are encrypted
   * or decrypted, on a thread of its own that no caller waits for.
   *
   * @throws IOException if it cannot be read
   * @throws GeneralSecurityException if it is not a valid keyset
   */
  KeysetHandle read() throws IOException, GeneralSecurityException;

  /**
   * Tink's JSON format, in clear text, in {@code file}, which only the service should be able to
   * read.
   */
  static KeysetSource file(Path file) {
    return new JsonKeyset(new JsonKeyset.OfFile(file), null);
  }

  /** Tink's JSON format, in clear text, in the environment variable {@code variable}. */
  static KeysetSource environment(String variable) {
    return new JsonKeyset(new JsonKeyset.OfEnvironment(variable), null);
  }

  /** Tink's encrypted JSON format in {@code file}, decrypted by {@code kms}. */
  static KeysetSource encryptedFile(Path file, Aead kms) {
    return new JsonKeyset(new JsonKeyset.OfFile(file), kms);
  }
}
