package io.rowqueue.internal.wrap;

import io.rowqueue.PayloadException;
import io.rowqueue.spi.Place;
import io.rowqueue.spi.Unwrapper;
import io.rowqueue.spi.Wrapper;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Compresses payloads if it saves enough. Immutable and thread-safe.
 *
 * @param name the wrapper's name in headers
 * @param above payloads of at most this size in bytes are left unchanged
 * @param compress the compression
 */
public record Compression(String name, int above, UnaryOperator<byte[]> compress)
    implements Wrapper {

  public Compression {
    if (above < 0) {
      throw new IllegalArgumentException("above must not be negative, not " + above);
    }
  }

  /** By name and size, because two modules hold different lambdas of one method. */
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

  /** Saving less than a tenth is not worth the reader's cost. */
  @Override
  public byte @Nullable [] wrap(byte[] payload, Place place) {
    if (payload.length <= above) {
      return null;
    }
    byte[] compressed = compress.apply(payload);
    return compressed.length <= payload.length - payload.length / 10 ? compressed : null;
  }

  /**
   * Decompresses the output of a {@link Compression} of the same name, and stops at the first byte
   * beyond the limit. Immutable and thread-safe.
   */
  public record Decompression(String name, Unfolding unfolding) implements Unwrapper {

    public interface Unfolding {
      InputStream open(byte[] compressed, int most) throws IOException;
    }

    @Override
    public byte[] unwrap(byte[] bytes, Place place, int most) {
      try (InputStream in = unfolding.open(bytes, most)) {
        return read(in, most);
      } catch (IOException e) {
        throw new PayloadException(name + " cannot decompress the payload: " + e.getMessage(), e);
      }
    }

    private static byte[] read(InputStream in, int most) throws IOException {
      byte[] payload = in.readNBytes(most == Integer.MAX_VALUE ? most : most + 1);
      if (payload.length > most) {
        throw Unwrapping.tooLarge(most);
      }
      return payload;
    }
  }
}
