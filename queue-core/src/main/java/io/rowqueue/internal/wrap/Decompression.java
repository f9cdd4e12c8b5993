package io.rowqueue.internal.wrap;

import io.rowqueue.PayloadException;
import io.rowqueue.spi.Place;
import io.rowqueue.spi.Unwrapper;
import java.io.IOException;
import java.io.InputStream;

/**
 * Decompresses the output of a {@link Compression} of the same name, and stops at the first byte
 * beyond the limit. Immutable and thread-safe.
 *
 * @param name the wrapper's name in headers
 * @param unfolding reads the payload from the compressed bytes
 */
public record Decompression(String name, Unfolding unfolding) implements Unwrapper {

  /** Reads compressed bytes. */
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
