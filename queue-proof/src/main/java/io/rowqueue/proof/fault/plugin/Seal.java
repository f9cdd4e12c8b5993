package io.rowqueue.proof.fault.plugin;

import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.TinkJsonProtoKeysetFormat;
import com.google.crypto.tink.aead.AeadConfig2026;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import io.rowqueue.seal.KeysetSource;
import io.rowqueue.seal.Sealed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;

/** The key that producers and workers of a run share: a file in the run's folder. */
public final class Seal {

  private static final String FILE = "keyset.json";

  private Seal() {}

  /** Makes one. */
  public static void make(Path home) throws IOException {
    Path file = home.resolve(FILE);
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(file, newKeyset());
  }

  private static String newKeyset() {
    try {
      return TinkJsonProtoKeysetFormat.serializeKeyset(
          KeysetHandle.generateNew(
              PredefinedAeadParameters.XAES_256_GCM_192_BIT_NONCE, AeadConfig2026.get()),
          AeadConfig2026.get(),
          InsecureSecretKeyAccess.get());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a key cannot be made", e);
    }
  }

  /** The one of that folder. */
  public static Sealed in(Path home) {
    return Sealed.with(KeysetSource.file(home.resolve(FILE)));
  }
}
