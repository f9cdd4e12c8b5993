package io.rowqueue.proof.fault.plugin;

import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.TinkJsonProtoKeysetFormat;
import com.google.crypto.tink.aead.AeadConfig2026;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import io.rowqueue.spi.KeysetSource;
import io.rowqueue.spi.Sealed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;

/** The keys that producers and workers of a run share: a file in the run's folder. */
public final class EncryptionKeys {

  private static final String FILE = "keyset.json";

  private EncryptionKeys() {}

  /** Makes one. */
  public static void make(Path home) throws IOException {
    write(home, newKeyset());
  }

  /**
   * Adds a key that encrypts nothing yet: processes that read it from now on can decrypt with it.
   */
  public static void addKey(Path home) throws IOException {
    write(
        home,
        KeysetHandle.newBuilder(read(home))
            .addEntry(KeysetHandle.importKey(newKeyset().getPrimary().getKey())));
  }

  /** Makes the key that was added last encrypt; the others still decrypt. */
  public static void useNewestKey(Path home) throws IOException {
    KeysetHandle keyset = read(home);
    KeysetHandle.Builder builder = KeysetHandle.newBuilder(keyset);
    builder.getAt(keyset.size() - 1).makePrimary();
    write(home, builder);
  }

  private static KeysetHandle newKeyset() {
    try {
      return KeysetHandle.generateNew(
          PredefinedAeadParameters.XAES_256_GCM_192_BIT_NONCE, AeadConfig2026.get());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a key cannot be made", e);
    }
  }

  private static KeysetHandle read(Path home) throws IOException {
    try {
      return TinkJsonProtoKeysetFormat.parseKeyset(
          Files.readString(home.resolve(FILE)),
          AeadConfig2026.get(),
          InsecureSecretKeyAccess.get());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the keyset cannot be read", e);
    }
  }

  private static void write(Path home, KeysetHandle.Builder keyset) throws IOException {
    try {
      write(home, keyset.build());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the keyset cannot be made", e);
    }
  }

  /** Another file in its place at once: nobody reads half of one. */
  private static void write(Path home, KeysetHandle keyset) throws IOException {
    Path file = home.resolve(FILE + ".new");
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try {
      Files.writeString(
          file,
          TinkJsonProtoKeysetFormat.serializeKeyset(
              keyset, AeadConfig2026.get(), InsecureSecretKeyAccess.get()));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("the keyset cannot be written", e);
    }
    Path unused = Files.move(file, home.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
  }

  /** The one of that folder. */
  public static Sealed in(Path home) {
    return Sealed.with(KeysetSource.file(home.resolve(FILE)));
  }
}
