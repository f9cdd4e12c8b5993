package io.rowqueue.internal.wrap;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The one place that touches the library. */
public final class ZstdFrames {

  /**
   * As much history as the library's levels up to 19 use, 8 MiB: a frame may ask for gigabytes of
   * memory outside the heap.
   */
  private static final int WINDOW_LOG = 23;

  private ZstdFrames() {}

  public static byte[] compress(byte[] payload) {
    return Zstd.compress(payload, Zstd.defaultCompressionLevel());
  }

  /** The size that the frame itself names is its writer's word, so it can only refuse. */
  public static InputStream open(byte[] frames, int most) throws IOException {
    if (frames.length == 0) {
      throw new IOException("it is empty");
    }
    if (Zstd.getFrameContentSize(frames) > most) {
      throw Unwrapping.tooLarge(most);
    }
    int whole = Integer.SIZE - Integer.numberOfLeadingZeros(most);
    ZstdInputStreamNoFinalizer in =
        new ZstdInputStreamNoFinalizer(new ByteArrayInputStream(frames));
    in.setLongMax(Math.min(30, Math.max(WINDOW_LOG, whole)));
    return in;
  }
}
