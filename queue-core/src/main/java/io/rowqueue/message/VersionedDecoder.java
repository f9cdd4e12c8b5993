package io.rowqueue.message;

import java.lang.reflect.Type;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decodes payloads of every version that one handler can read. Thread-safe.
 *
 * @param codec reads the bytes
 * @param type what they become
 * @param upcasters the way from older versions; null if there is none
 */
public record VersionedDecoder(PayloadCodec codec, Type type, @Nullable Upcasters upcasters) {

  /**
   * Checks that the three go together.
   *
   * @throws IllegalArgumentException if they do not
   */
  public VersionedDecoder {
    if (upcasters != null) {
      if (!(codec instanceof TreeCodec)) {
        throw new IllegalArgumentException(
            "upcasters need a codec that is a TreeCodec, such as JSON's, and %s is none"
                .formatted(codec.getClass().getName()));
      }
      upcasters.check(type);
    }
    // An annotation that names no version is refused where the handler is bound.
    var unused = Versions.of(type);
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
    int newest = Versions.of(type);
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
