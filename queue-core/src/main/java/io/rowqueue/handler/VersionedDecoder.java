package io.rowqueue.handler;

import io.rowqueue.PayloadException;
import io.rowqueue.internal.message.Versions;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.TreeCodec;
import io.rowqueue.spi.UnreadableException;
import java.lang.reflect.Type;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Decodes payloads of every version that a handler supports. Thread-safe. */
public final class VersionedDecoder {

  private final PayloadCodec codec;
  private final Type type;
  private final int newest;
  private final @Nullable Upcasters upcasters;

  /**
   * Checks that the arguments fit together. A type with a version above 1 must handle older
   * payloads, because the table contains such when it is deployed.
   *
   * @param codec reads the bytes
   * @param type the target type
   * @param upcasters convert older versions; null if there are none
   * @throws IllegalArgumentException if they do not fit together
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
          ("%s is version %d, but nothing converts from version 1, which rows without a version"
                  + " have; add the steps by withUpcasters(...), or use"
                  + " Upcasters.to(...).readingFrom(%d)")
              .formatted(type.getTypeName(), newest, newest));
    }
  }

  private void check(Upcasters steps) {
    if (steps.hasSteps() && !(codec instanceof TreeCodec)) {
      throw new IllegalArgumentException(
          "upcasters need a codec that is a TreeCodec, such as JSON's, but %s is not"
              .formatted(codec.getClass().getName()));
    }
    steps.check(type);
  }

  /**
   * Decodes {@code bytes}, which are unwrapped.
   *
   * @throws UnreadableException if they are of a newer version than the type
   * @throws PayloadException if they cannot be read by any worker
   */
  public Object decode(byte[] bytes, Map<String, String> headers) {
    // A handler of raw bytes checks them and the version header itself.
    int version = type == byte[].class ? Versions.FIRST : Versions.of(headers);
    if (version == newest) {
      return codec.decode(bytes, type);
    }
    if (version > newest) {
      throw new UnreadableException(
          "the payload is version %d, but this worker reads %s only up to version %d"
              .formatted(version, type.getTypeName(), newest));
    }
    return upcast(bytes, version);
  }

  private Object upcast(byte[] bytes, int version) {
    if (upcasters == null || !upcasters.reachesFrom(version)) {
      throw new PayloadException(
          "the payload is version %d, %s is newer, and no upcaster from version %d is bound"
              .formatted(version, type.getTypeName(), version));
    }
    TreeCodec trees = (TreeCodec) codec;
    Map<String, Object> tree = trees.readTree(bytes);
    upcasters.upcast(tree, version);
    return trees.decode(tree, type);
  }
}
