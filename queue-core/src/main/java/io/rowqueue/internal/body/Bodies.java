package io.rowqueue.internal.body;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.spi.BodyMissingException;
import io.rowqueue.spi.BodyUnavailableException;
import java.io.ByteArrayOutputStream;

/** Reads external payloads, which are stored separately from their messages' rows. Thread-safe. */
public interface Bodies {

  /**
   * Finds the payload of message {@code id}.
   *
   * @param place the value of the message's header, see {@link BodyLocations}
   * @throws BodyMissingException if the payload is already known to be missing
   * @throws BodyUnavailableException if the database cannot be read at the moment
   * @throws io.rowqueue.spi.UnreadableException if this worker does not support {@code place}, or
   *     lacks the store
   */
  Body find(MessageId id, String place);

  /** One payload. Each run of the message's handler opens it again. Thread-safe. */
  @FunctionalInterface
  interface Body {

    /** Opens a new stream, which reads nothing until its first read. */
    BodyStream open();

    /**
     * Reads the whole payload.
     *
     * @param most maximum number of bytes to hold in memory
     * @throws InvalidMessageException if it has more than {@code most} bytes
     * @throws BodyMissingException if it is missing or damaged
     * @throws BodyUnavailableException if it cannot be read at the moment
     */
    default byte[] read(int most) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      try (BodyStream body = open()) {
        byte[] piece = body.next();
        while (piece != null) {
          if (piece.length > most - all.size()) {
            throw new InvalidMessageException(
                "the external payload exceeds this worker's limit of %,d bytes; raise max-payload-size there, or handle it as an InputStream"
                    .formatted(most));
          }
          all.writeBytes(piece);
          piece = body.next();
        }
        return all.toByteArray();
      }
    }
  }
}
