package io.rowqueue.proof;

import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.AeadConfig2026;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import io.rowqueue.seal.KeysetSource;
import java.security.GeneralSecurityException;

/** Keys that a test makes for itself. */
final class Keysets {

  private Keysets() {}

  /** A keyset of one new key. */
  static KeysetSource fresh() {
    try {
      KeysetHandle keyset =
          KeysetHandle.generateNew(
              PredefinedAeadParameters.XAES_256_GCM_192_BIT_NONCE, AeadConfig2026.get());
      return () -> keyset;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a key cannot be made", e);
    }
  }
}
