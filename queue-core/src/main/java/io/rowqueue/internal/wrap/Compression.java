package io.rowqueue.internal.wrap;

import io.rowqueue.spi.Place;
import io.rowqueue.spi.Wrapper;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes payloads smaller where that is worth it. Immutable and thread-safe.
 *
 * @param name how headers name it
 * @param above payloads of up to so many bytes are left as they are
 * @param compress what makes them smaller
 */
public record Compression(String name, int above, UnaryOperator<byte[]> compress)
    implements Wrapper {

  public Compression {
    if (above < 0) {
      throw new IllegalArgumentException("above must not be negative, not " + above);
    }
  }

  /** By name and size: of two modules, each names a method of its own. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Compression same && name.equals(same.name) && above == same.above;
  }

  @Override
  public int hashCode() {
    return Objects.hash(name, above);
  }

  @Override
  public Kind kind() {
    return Kind.COMPRESSION;
  }

  /** Less than a tenth saved is not worth what it costs the reader. */
  @Override
  public byte @Nullable [] wrap(byte[] payload, Place place) {
    if (payload.length <= above) {
      return null;
    }
    byte[] compressed = compress.apply(payload);
    return compressed.length <= payload.length - payload.length / 10 ? compressed : null;
  }
}
