package io.rowqueue.spi;

import io.rowqueue.PayloadException;
import io.rowqueue.internal.wrap.Compression;
import io.rowqueue.internal.wrap.Compression.Decompression;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * Compresses with the JDK's zlib, without a native library; {@link Zstd} is faster and compresses
 * better. Marked as {@code deflate}.
 */
public final class Deflate {

  private static final String NAME = "deflate";

  private static final Unwrapper READER =
      new Decompression(
          NAME, (bytes, most) -> new InflaterInputStream(new ByteArrayInputStream(bytes)));

  private Deflate() {}

  /**
   * Compresses payloads of more than {@code bytes} bytes, if it saves at least a tenth.
   *
   * @throws IllegalArgumentException if {@code bytes} is negative
   */
  public static Wrapper above(int bytes) {
    return new Compression(NAME, bytes, Deflate::compress);
  }

  /** Reads the output of any {@code Deflate}. */
  public static Unwrapper reader() {
    return READER;
  }

  private static byte[] compress(byte[] payload) {
    ByteArrayOutputStream compressed = new ByteArrayOutputStream(payload.length / 2 + 32);
    try (DeflaterOutputStream out = new DeflaterOutputStream(compressed)) {
      out.write(payload);
    } catch (IOException e) {
      throw new PayloadException("the payload cannot be compressed: " + e.getMessage(), e);
    }
    return compressed.toByteArray();
  }
}
