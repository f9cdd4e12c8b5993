package io.rowqueue.internal.seal;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.TinkJsonProtoKeysetFormat;
import com.google.crypto.tink.aead.AeadConfig2026;
import io.rowqueue.spi.KeysetSource;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import org.jspecify.annotations.Nullable;

/**
 * A keyset in Tink's JSON format.
 *
 * @param text the source of the JSON
 * @param kms decrypts it; null if it is not encrypted
 */
public record JsonKeyset(Text text, @Nullable Aead kms) implements KeysetSource {

  private static final byte[] NO_CONTEXT = {};

  interface Text {
    String read() throws IOException;
  }

  public record OfFile(Path file) implements Text {
    @Override
    public String read() throws IOException {
      // Invalid UTF-8 is reported as an invalid keyset, not as one that is unavailable.
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }

    @Override
    public String toString() {
      return "file " + file;
    }
  }

  public record OfEnvironment(String variable) implements Text {
    @Override
    public String read() throws IOException {
      String text = System.getenv(variable);
      if (text == null) {
        throw new IOException("the environment variable " + variable + " is not set");
      }
      return text;
    }

    @Override
    public String toString() {
      return "environment variable " + variable;
    }
  }

  @Override
  public String toString() {
    return text.toString();
  }

  @Override
  public KeysetHandle read() throws IOException, GeneralSecurityException {
    String json = text.read();
    return kms == null
        ? TinkJsonProtoKeysetFormat.parseKeyset(
            json, AeadConfig2026.get(), InsecureSecretKeyAccess.get())
        : TinkJsonProtoKeysetFormat.parseEncryptedKeyset(
            json, kms, NO_CONTEXT, AeadConfig2026.get());
  }
}
