package io.rowqueue.tests;

import java.io.InputStream;
import java.util.Random;

/**
 * The same million bytes again and again, which cost nothing to make and do not shrink. It says
 * that it has ended when it is asked for nothing, as some streams do.
 */
public final class Noise extends InputStream {

  private static final int MILLION = 1_000_000;

  private static final byte[] BYTES = bytes();

  private final long length;
  private long at;

  /** So many bytes, from the first on. */
  public Noise(long length) {
    this.length = length;
  }

  private static byte[] bytes() {
    byte[] bytes = new byte[MILLION];
    new Random(1).nextBytes(bytes);
    return bytes;
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
    System.arraycopy(BYTES, begin, to, from, count);
    at += count;
    return count == 0 ? -1 : count;
  }
}
