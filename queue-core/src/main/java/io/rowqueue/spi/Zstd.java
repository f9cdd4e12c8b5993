package io.rowqueue.spi;

import io.rowqueue.internal.wrap.Compression;
import io.rowqueue.internal.wrap.Decompression;
import io.rowqueue.internal.wrap.Library;
import io.rowqueue.internal.wrap.ZstdFrames;

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
    private static final Unwrapper INSTANCE = new Decompression(NAME, ZstdFrames::open);
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
    return new Compression(NAME, bytes, ZstdFrames::compress);
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
}
