package io.rowqueue.spi;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.KeysetHandle;
import io.rowqueue.internal.seal.JsonKeyset;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;

/**
 * Where a Tink keyset of AEAD keys comes from. Thread-safe; two that read the same place should be
 * equal, so that plug-ins may name it side by side. Logs name it by its {@code toString}.
 */
@FunctionalInterface
public interface KeysetSource {

  /**
   * The keyset as it is now. Asked at the start by whoever names it, and about once a minute while
   * payloads are sealed or opened, on a thread of its own that nobody waits for.
   *
   * @throws IOException if it cannot be read
   * @throws GeneralSecurityException if what was read is no keyset
   */
  KeysetHandle read() throws IOException, GeneralSecurityException;

  /** Tink's JSON form, in clear, in {@code file}; only the service may read it. */
  static KeysetSource file(Path file) {
    return new JsonKeyset(new JsonKeyset.OfFile(file), null);
  }

  /** Tink's JSON form, in clear, in the environment variable {@code variable}. */
  static KeysetSource environment(String variable) {
    return new JsonKeyset(new JsonKeyset.OfEnvironment(variable), null);
  }

  /** Tink's encrypted JSON form in {@code file}, which {@code kms} decrypts. */
  static KeysetSource encryptedFile(Path file, Aead kms) {
    return new JsonKeyset(new JsonKeyset.OfFile(file), kms);
  }
}
