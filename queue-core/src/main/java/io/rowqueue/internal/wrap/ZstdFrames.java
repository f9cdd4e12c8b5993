package io.rowqueue.internal.wrap;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The only class that uses the library. */
public final class ZstdFrames {

  /**
   * The window of the library's levels up to 19, 8 MiB: a frame could demand gigabytes of memory
   * outside the heap.
   */
  private static final int WINDOW_LOG = 23;

  private ZstdFrames() {}

  public static byte[] compress(byte[] payload) {
    return Zstd.compress(payload, Zstd.defaultCompressionLevel());
  }

  /**
   * The size in the frame's header is chosen by its writer, so it is only used to reject a payload.
   */
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
