package io.rowqueue.internal.body;

import io.rowqueue.InvalidMessageException;
import java.io.ByteArrayOutputStream;

/** Reads bodies for handlers that want them as a whole. */
final class WholeBody {

  private WholeBody() {}

  static byte[] read(BodyStream body, int most) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    try (body) {
      byte[] piece = body.next();
      while (piece != null) {
        if (piece.length > most - all.size()) {
          throw new InvalidMessageException(
              "the payload beside the row has more than this worker's limit of %,d bytes; raise the limit, or handle it as an InputStream"
                  .formatted(most));
        }
        all.writeBytes(piece);
        piece = body.next();
      }
      return all.toByteArray();
    }
  }
}
