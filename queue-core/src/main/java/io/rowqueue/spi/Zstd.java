package io.rowqueue.spi;

import io.rowqueue.internal.wrap.Compression;
import io.rowqueue.internal.wrap.Decompression;
import io.rowqueue.internal.wrap.Library;
import io.rowqueue.internal.wrap.ZstdFrames;

/**
 * Compresses with Zstandard, by way of the optional library {@code com.github.luben:zstd-jni}.
 * Marked as {@code zstd}.
 *
 * <p>A secret that is compressed together with what a stranger chooses tells its length, so it is
 * for payloads where that cannot hurt.
 */
public final class Zstd {

  private static final String NAME = "zstd";

  /** Made once the library is known to be there. */
  private static final class Reader {
    private static final Unwrapper INSTANCE = new Decompression(NAME, ZstdFrames::open);
  }

  private Zstd() {}

  /**
   * Compresses payloads of more than {@code bytes} bytes, where it saves at least a tenth.
   *
   * @throws IllegalArgumentException if {@code bytes} is negative
   * @throws IllegalStateException if the library is missing
   */
  public static Wrapper above(int bytes) {
    require();
    return new Compression(NAME, bytes, ZstdFrames::compress);
  }

  /**
   * Reads what any {@code Zstd} wrote.
   *
   * @throws IllegalStateException if the library is missing
   */
  public static Unwrapper reader() {
    require();
    return Reader.INSTANCE;
  }

  /** Here, since the class that uses the library cannot even be loaded without it. */
  private static void require() {
    Library.require("com.github.luben.zstd.Zstd", "com.github.luben:zstd-jni");
  }
}
