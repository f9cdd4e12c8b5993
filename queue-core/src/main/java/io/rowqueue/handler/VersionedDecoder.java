package io.rowqueue.handler;

import io.rowqueue.PayloadException;
import io.rowqueue.internal.message.Versions;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.TreeCodec;
import io.rowqueue.spi.UnreadableException;
import java.lang.reflect.Type;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decodes payloads of every version that one handler can read. Thread-safe. */
public final class VersionedDecoder {

  private final PayloadCodec codec;
  private final Type type;
  private final int newest;
  private final @Nullable Upcasters upcasters;

  /**
   * Checks that the three go together: whoever has a version above 1 says what becomes of older
   * ones, since such lie in the table on the day that it is deployed.
   *
   * @param codec reads the bytes
   * @param type what they become
   * @param upcasters the way from older versions; null if there is none
   * @throws IllegalArgumentException if they do not
   */
  public VersionedDecoder(PayloadCodec codec, Type type, @Nullable Upcasters upcasters) {
    this.codec = codec;
    this.type = type;
    this.newest = Versions.of(type);
    this.upcasters = upcasters;
    if (upcasters == null) {
      checkFirst();
    } else {
      check(upcasters);
    }
  }

  private void checkFirst() {
    if (newest > Versions.FIRST) {
      throw new IllegalArgumentException(
          ("%s is version %d, and nothing leads to it from version 1, which rows without a version"
                  + " are; give withUpcasters(...) the steps, or Upcasters.to(...).readingFrom(%d)")
              .formatted(type.getTypeName(), newest, newest));
    }
  }

  private void check(Upcasters steps) {
    if (steps.hasSteps() && !(codec instanceof TreeCodec)) {
      throw new IllegalArgumentException(
          "upcasters need a codec that is a TreeCodec, such as JSON's, and %s is none"
              .formatted(codec.getClass().getName()));
    }
    steps.check(type);
  }

  /**
   * The payload that {@code bytes}, unwrapped, stand for.
   *
   * @throws UnreadableException if they are of a newer version than the type
   * @throws PayloadException if they cannot be read here nor elsewhere
   */
  public Object decode(byte[] bytes, Map<String, String> headers) {
    // Who takes bytes looks into them and into the headers itself.
    int version = type == byte[].class ? Versions.FIRST : Versions.of(headers);
    if (version == newest) {
      return codec.decode(bytes, type);
    }
    if (version > newest) {
      throw new UnreadableException(
          "the payload is version %d, and this worker reads %s up to version %d"
              .formatted(version, type.getTypeName(), newest));
    }
    return upcast(bytes, version);
  }

  private Object upcast(byte[] bytes, int version) {
    if (upcasters == null || !upcasters.reachesFrom(version)) {
      throw new PayloadException(
          "the payload is version %d, %s is a newer one, and no upcaster from %d is bound"
              .formatted(version, type.getTypeName(), version));
    }
    TreeCodec trees = (TreeCodec) codec;
    Map<String, Object> tree = trees.readTree(bytes);
    upcasters.upcast(tree, version);
    return trees.decode(tree, type);
  }
}
