package io.rowqueue.spi;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import io.rowqueue.internal.wrap.Compression;
import io.rowqueue.internal.wrap.Compression.Decompression;
import io.rowqueue.internal.wrap.Library;
import io.rowqueue.internal.wrap.Unwrapping;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Compresses with Zstandard, by the optional library {@code com.github.luben:zstd-jni}. Marked as
 * {@code zstd}.
 *
 * <p>If a payload combines a secret with data chosen by an attacker, its compressed length can
 * reveal the secret; do not compress such payloads.
 */
public final class Zstd {

  private static final String NAME = "zstd";

  /** Loaded only after the check that the library exists. */
  private static final class Reader {
    private static final Unwrapper INSTANCE = new Decompression(NAME, Frames::open);
  }

  private Zstd() {}

  /**
   * Compresses payloads of more than {@code bytes} bytes, if it saves at least a tenth.
   *
   * @throws IllegalArgumentException if {@code bytes} is negative
   * @throws IllegalStateException if the library is missing
   */
  public static Wrapper above(int bytes) {
    require();
    return new Compression(NAME, bytes, Frames::compress);
  }

  /**
   * Reads the output of any {@code Zstd}.
   *
   * @throws IllegalStateException if the library is missing
   */
  public static Unwrapper reader() {
    require();
    return Reader.INSTANCE;
  }

  /** In this class, because the class that uses the library cannot be loaded without it. */
  private static void require() {
    Library.require("com.github.luben.zstd.Zstd", "com.github.luben:zstd-jni");
  }

  /** The one place that touches the library. */
  private static final class Frames {

    /**
     * As much history as the library's levels up to 19 use, 8 MiB: a frame may ask for gigabytes of
     * memory outside the heap.
     */
    private static final int WINDOW_LOG = 23;

    static byte[] compress(byte[] payload) {
      return com.github.luben.zstd.Zstd.compress(
          payload, com.github.luben.zstd.Zstd.defaultCompressionLevel());
    }

    /** The size that the frame itself names is its writer's word, so it can only refuse. */
    static InputStream open(byte[] frames, int most) throws IOException {
      if (frames.length == 0) {
        throw new IOException("it is empty");
      }
      if (com.github.luben.zstd.Zstd.getFrameContentSize(frames) > most) {
        throw Unwrapping.tooLarge(most);
      }
      int whole = Integer.SIZE - Integer.numberOfLeadingZeros(most);
      ZstdInputStreamNoFinalizer in =
          new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(frames));
      in.setLongMax(Math.min(30, Math.max(WINDOW_LOG, whole)));
      return in;
    }
  }
}
