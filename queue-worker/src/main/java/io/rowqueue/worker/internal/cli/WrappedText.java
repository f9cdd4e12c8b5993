package io.rowqueue.worker.internal.cli;

import io.rowqueue.PayloadException;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.operate.MessageDetails.StoredBody;
import io.rowqueue.spi.KeyId;
import org.jspecify.annotations.Nullable;

/** What was done to a payload, as far as that is no secret. */
final class WrappedText {

  private static final String SEALED = "sealed";

  private WrappedText() {}

  /** Such as {@code zstd,sealed with key 0x1a2b3c4d}; null if it is as it was encoded. */
  static @Nullable String of(StoredBody body) {
    String mark = mark(body.headers());
    if (mark == null) {
      return null;
    }
    String shown = TextTable.shortened(mark);
    boolean sealedLast = mark.equals(SEALED) || mark.endsWith("," + SEALED);
    return sealedLast ? shown + key(body.payload()) : shown;
  }

  /** Whoever enqueues by SQL can write anything. */
  private static @Nullable String mark(@Nullable String headers) {
    try {
      return Headers.parse(headers).get(Headers.WRAPPED);
    } catch (PayloadException e) {
      return null;
    }
  }

  private static String key(byte[] payload) {
    try {
      return " with key " + KeyId.of(payload);
    } catch (PayloadException e) {
      return " with no key";
    }
  }
}
