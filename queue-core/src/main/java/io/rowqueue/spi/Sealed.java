package io.rowqueue.spi;

import com.google.crypto.tink.Aead;
import io.rowqueue.PayloadException;
import io.rowqueue.internal.seal.KeyRing;
import io.rowqueue.internal.seal.KeyRing.Keys;
import io.rowqueue.internal.wrap.Library;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Encrypts payloads with the primary key of a keyset, and decrypts those of any of its enabled
 * keys, by the optional library {@code com.google.crypto.tink:tink}. Marked as {@code sealed}.
 * Thread-safe.
 *
 * <p>An encrypted payload can be decrypted only under the topic, the mark and the version that it
 * was encrypted for. An account that may insert messages can replay it there. Other headers and
 * error texts are not encrypted.
 */
public final class Sealed implements Wrapper, Unwrapper {

  /** The wrapper's name in headers. */
  public static final String NAME = "sealed";

  private final KeysetSource source;
  private final KeyRing keyRing;

  private Sealed(KeysetSource source, LongSupplier clock, Executor reloads) {
    this.source = source;
    this.keyRing = new KeyRing(source, clock, reloads);
  }

  /**
   * With the keyset that {@code source} returns, read now and every minute while in use.
   *
   * @throws KeysetException if it cannot be read now
   * @throws IllegalStateException if the library is missing
   */
  public static Sealed with(KeysetSource source) {
    return with(source, System::nanoTime, Sealed::onAThreadOfItsOwn);
  }

  private static void onAThreadOfItsOwn(Runnable poll) {
    Thread thread = new Thread(poll, "rowqueue-keyset");
    thread.setDaemon(true);
    thread.start();
  }

  /** For tests: {@code clock} gives nanoseconds, {@code looks} runs the later reads. */
  static Sealed with(KeysetSource source, LongSupplier clock, Executor reloads) {
    Library.require("com.google.crypto.tink.Aead", "com.google.crypto.tink:tink");
    return new Sealed(source, clock, reloads);
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Kind kind() {
    return Kind.SEAL;
  }

  @Override
  public byte[] wrap(byte[] payload, Place place) {
    try {
      return keyRing.keys().aead().encrypt(payload, associated(place));
    } catch (GeneralSecurityException e) {
      throw new PayloadException("the payload cannot be encrypted: " + e.getMessage(), e);
    }
  }

  @Override
  public byte[] unwrap(byte[] bytes, Place place, int most) {
    KeyId id = KeyId.of(bytes);
    Keys keys = keyRing.keys();
    if (!keys.ids().contains(id)) {
      keys = keyRing.keysAnew();
    }
    if (!keys.ids().contains(id)) {
      throw new UnreadableException(
          "the payload is encrypted with key " + id + ", which this process does not have");
    }
    return open(keys.aead(), bytes, place, id);
  }

  private static byte[] open(Aead aead, byte[] bytes, Place place, KeyId id) {
    try {
      return aead.decrypt(bytes, associated(place));
    } catch (GeneralSecurityException e) {
      throw new PayloadException(
          ("key %s does not decrypt the payload: it was changed, or encrypted for another topic"
                  + " than '%s', another mark than '%s' or another version than %d")
              .formatted(id, place.topic(), place.mark(), place.version()),
          e);
    }
  }

  /** Each part is preceded by its length, so that no two contexts have the same encoding. */
  private static byte[] associated(Place place) {
    List<byte[]> parts =
        Stream.of("rowqueue", place.topic().name(), place.mark(), Integer.toString(place.version()))
            .map(Sealed::ascii)
            .toList();
    int length = parts.stream().mapToInt(part -> Integer.BYTES + part.length).sum();
    ByteBuffer all = ByteBuffer.allocate(length);
    parts.forEach(part -> all.putInt(part.length).put(part));
    return all.array();
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Equal to every other instance with the same keyset source. */
  @Override
  public boolean equals(Object other) {
    return other instanceof Sealed sealed && source.equals(sealed.source);
  }

  @Override
  public int hashCode() {
    return source.hashCode();
  }
}
