package io.rowqueue.worker.internal.cli;

import io.rowqueue.PayloadException;
import io.rowqueue.internal.body.BodyLocations;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.operate.MessageDetails.StoredBody;
import io.rowqueue.spi.KeyId;
import org.jspecify.annotations.Nullable;

/** Where a payload is stored and what was done to it, as far as that is no secret. */
final class BodyText {

  private static final String SEALED = "sealed";

  private BodyText() {}

  /** Such as {@code beside the row, in queue_payload_chunk}; null if it lies in the row. */
  static @Nullable String place(StoredBody body) {
    String place = header(body, Headers.BODY);
    if (place == null) {
      return null;
    }
    return switch (place) {
      case BodyLocations.ROWS -> "beside the row, in queue_payload_chunk";
      case BodyLocations.STORED -> "in a store, by queue_payload_ref";
      default -> "in " + TextTable.shortened(place);
    };
  }

  /** Such as {@code zstd,sealed with key 0x1a2b3c4d}; null if it is as it was encoded. */
  static @Nullable String wrappedBy(StoredBody body) {
    String mark = header(body, Headers.WRAPPED);
    if (mark == null) {
      return null;
    }
    boolean sealedLast = mark.equals(SEALED) || mark.endsWith("," + SEALED);
    return TextTable.shortened(mark) + (sealedLast ? key(body.payload()) : "");
  }

  /** Null if the headers cannot be read: SQL can write anything. */
  private static @Nullable String header(StoredBody body, String name) {
    try {
      return Headers.parse(body.headers()).get(name);
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
