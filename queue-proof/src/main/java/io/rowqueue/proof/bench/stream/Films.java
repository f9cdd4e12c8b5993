package io.rowqueue.proof.bench.stream;

import io.rowqueue.body.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.security.DigestInputStream;
import java.util.Random;

/**
 * Payloads of one length, which cost nothing to make and do not shrink.
 *
 * @param count how many
 * @param megabytes how long each is; one is a million bytes
 */
record Films(int count, int megabytes) {

  private static final int MILLION = 1_000_000;

  /** As much as a reader takes at a time, the same for everybody. */
  private static final int PIECE_BYTES = 64 << 10;

  private static final byte[] NOISE = noise();

  private static byte[] noise() {
    byte[] bytes = new byte[MILLION];
    new Random(1).nextBytes(bytes);
    return bytes;
  }

  /** All of them together. */
  int allMegabytes() {
    return count * megabytes;
  }

  /** One, from its beginning. */
  InputStream open() {
    return new Noise((long) megabytes * MILLION);
  }

  /** The same for who reckons its SHA-256 as it goes. */
  InputStream openDigested() {
    return new DigestInputStream(open(), Sha256.digest());
  }

  /**
   * Reads one to its end.
   *
   * @throws IllegalStateException if it is not as long as it was
   */
  void watch(InputStream film) throws IOException {
    byte[] piece = new byte[PIECE_BYTES];
    long length = 0;
    for (int read = film.read(piece); read >= 0; read = film.read(piece)) {
      length += read;
    }
    checkLength(length);
  }

  /** The same for who has counted it. */
  void checkLength(long length) {
    if (length != (long) megabytes * MILLION) {
      throw new IllegalStateException(
          "%,d bytes came of a payload of %d MB".formatted(length, megabytes));
    }
  }

  /** The same million bytes again and again. */
  private static final class Noise extends InputStream {

    private final long length;
    private long at;

    Noise(long length) {
      this.length = length;
    }

    @Override
    public int read() {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] to, int from, int most) {
      int begin = (int) (at % MILLION);
      int count = (int) Math.min(Math.min(most, MILLION - begin), length - at);
      if (count == 0 && most > 0) {
        return -1;
      }
      System.arraycopy(NOISE, begin, to, from, count);
      at += count;
      return count;
    }
  }
}
