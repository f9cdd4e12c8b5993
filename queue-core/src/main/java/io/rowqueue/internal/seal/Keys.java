package io.rowqueue.internal.seal;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.KeyStatus;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.AeadConfig2026;
import io.rowqueue.spi.KeyId;
import java.security.GeneralSecurityException;
import java.util.HashSet;
import java.util.Set;

/**
 * A usable keyset.
 *
 * @param keyset as it was read
 * @param aead encrypts with its primary key, and decrypts with the key that the payload names
 * @param ids of the enabled keys
 */
public record Keys(KeysetHandle keyset, Aead aead, Set<KeyId> ids) {

  static Keys of(KeysetHandle keyset) throws GeneralSecurityException {
    Set<KeyId> ids = new HashSet<>();
    for (int i = 0; i < keyset.size(); i++) {
      KeysetHandle.Entry entry = keyset.getAt(i);
      if (entry.getKey().getIdRequirementOrNull() == null) {
        throw new GeneralSecurityException(
            "payloads encrypted with key %s would not contain its id; create a key with a prefix"
                .formatted(new KeyId(entry.getId())));
      }
      if (entry.getStatus().equals(KeyStatus.ENABLED)) {
        ids.add(new KeyId(entry.getId()));
      }
    }
    return new Keys(keyset, keyset.getPrimitive(AeadConfig2026.get(), Aead.class), Set.copyOf(ids));
  }
}
