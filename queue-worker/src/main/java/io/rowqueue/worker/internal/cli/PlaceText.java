package io.rowqueue.worker.internal.cli;

import io.rowqueue.PayloadException;
import io.rowqueue.internal.body.BodyLocations;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.operate.MessageDetails.StoredBody;
import org.jspecify.annotations.Nullable;

/** Where a payload lies that is not in its row. */
final class PlaceText {

  private PlaceText() {}

  /** Such as {@code beside the row, in queue_payload_chunk}; null if it lies in the row. */
  static @Nullable String of(StoredBody body) {
    String place = place(body.headers());
    if (place == null) {
      return null;
    }
    return switch (place) {
      case BodyLocations.ROWS -> "beside the row, in queue_payload_chunk";
      case BodyLocations.STORED -> "in a store, by queue_payload_ref";
      default -> "in " + TextTable.shortened(place);
    };
  }

  /** Whoever enqueues by SQL can write anything. */
  private static @Nullable String place(@Nullable String headers) {
    try {
      return Headers.parse(headers).get(Headers.BODY);
    } catch (PayloadException e) {
      return null;
    }
  }
}
