package io.rowqueue.internal.seal;

import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.AeadConfig2026;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import io.rowqueue.spi.KeyId;
import io.rowqueue.spi.KeysetSource;
import java.security.GeneralSecurityException;

public final class Keysets {

  private Keysets() {}

  public static KeysetSource fresh() {
    KeysetHandle keyset = one();
    return () -> keyset;
  }

  private static KeysetHandle one() {
    try {
      return KeysetHandle.generateNew(
          PredefinedAeadParameters.XAES_256_GCM_192_BIT_NONCE, AeadConfig2026.get());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a key cannot be made", e);
    }
  }

  /** A keyset whose keys change while it is used, as a file's do. Thread-safe. */
  public static final class Rotating implements KeysetSource {

    private volatile KeysetHandle keyset = one();

    @Override
    public KeysetHandle read() {
      return keyset;
    }

    KeyId primary() {
      return new KeyId(keyset.getPrimary().getId());
    }

    KeyId rotate() {
      keyset =
          built(
              KeysetHandle.newBuilder(keyset)
                  .addEntry(KeysetHandle.importKey(one().getPrimary().getKey()).makePrimary()));
      return primary();
    }

    /** Leaves nothing but the key that seals. */
    void dropOthers() {
      KeysetHandle.Builder builder = KeysetHandle.newBuilder(keyset);
      for (int i = keyset.size() - 1; i >= 0; i--) {
        if (!keyset.getAt(i).isPrimary()) {
          builder.deleteAt(i);
        }
      }
      keyset = built(builder);
    }

    private static KeysetHandle built(KeysetHandle.Builder builder) {
      try {
        return builder.build();
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("the keyset cannot be made", e);
      }
    }
  }
}
