package io.rowqueue.bench.stream;

import io.rowqueue.body.Sha256;
import io.rowqueue.tests.Noise;
import java.io.IOException;
import java.io.InputStream;
import java.security.DigestInputStream;

/**
 * Payloads of {@link Noise}, of one length.
 *
 * @param count how many
 * @param megabytes how long each is; one is a million bytes
 */
record Films(int count, int megabytes) {

  private static final int MILLION = 1_000_000;

  /** As much as a reader takes at a time, the same for everybody. */
  private static final int PIECE_BYTES = 64 << 10;

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
}
