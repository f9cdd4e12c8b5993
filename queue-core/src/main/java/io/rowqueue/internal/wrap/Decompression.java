package io.rowqueue.internal.wrap;

import io.rowqueue.PayloadException;
import io.rowqueue.spi.Place;
import io.rowqueue.spi.Unwrapper;
import java.io.IOException;
import java.io.InputStream;

/**
 * Unfolds what a {@link Compression} of the same name made, and stops at the first byte too many.
 * Immutable and thread-safe.
 *
 * @param name how headers name it
 * @param unfolding reads the payload from the compressed bytes
 */
public record Decompression(String name, Unfolding unfolding) implements Unwrapper {

  /** How compressed bytes are read. */
  public interface Unfolding {
    InputStream open(byte[] compressed, int most) throws IOException;
  }

  @Override
  public byte[] unwrap(byte[] bytes, Place place, int most) {
    try (InputStream in = unfolding.open(bytes, most)) {
      return read(in, most);
    } catch (IOException e) {
      throw new PayloadException(name + " cannot unfold the payload: " + e.getMessage(), e);
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
