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
 * A keyset that can be used.
 *
 * @param keyset as it was read
 * @param aead seals with its primary key, and opens with the one that is named
 * @param ids of the keys that are enabled
 */
public record Keys(KeysetHandle keyset, Aead aead, Set<KeyId> ids) {

  static Keys of(KeysetHandle keyset) throws GeneralSecurityException {
    Set<KeyId> ids = new HashSet<>();
    for (int i = 0; i < keyset.size(); i++) {
      KeysetHandle.Entry entry = keyset.getAt(i);
      if (entry.getKey().getIdRequirementOrNull() == null) {
        throw new GeneralSecurityException(
            "key %s is one whose payloads do not say which key sealed them; make one with a prefix"
                .formatted(new KeyId(entry.getId())));
      }
      if (entry.getStatus().equals(KeyStatus.ENABLED)) {
        ids.add(new KeyId(entry.getId()));
      }
    }
    return new Keys(keyset, keyset.getPrimitive(AeadConfig2026.get(), Aead.class), Set.copyOf(ids));
  }
}
