package io.rowqueue.internal.body;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.spi.BodyMissingException;
import io.rowqueue.spi.BodyUnavailableException;
import java.io.ByteArrayOutputStream;

/** Payloads that lie beside their messages' rows, for who handles the messages. Thread-safe. */
public interface Bodies {

  /**
   * That of message {@code id}, whose header says that it lies at {@code place}.
   *
   * @throws BodyMissingException if it is known already that it is not there
   * @throws BodyUnavailableException if that cannot be asked just now
   * @throws io.rowqueue.spi.UnreadableException if this worker knows no such place
   */
  Body find(MessageId id, String place);

  /** One payload; opened as often as its message's handler runs. Thread-safe. */
  @FunctionalInterface
  interface Body {

    /** A fresh stream of it; reads nothing before it is asked to. */
    BodyStream open();

    /**
     * All of it.
     *
     * @throws InvalidMessageException if it has more than {@code most} bytes; nothing beyond is
     *     ever held in memory
     * @throws BodyMissingException if it is not there, or damaged
     * @throws BodyUnavailableException if it cannot be read just now
     */
    default byte[] read(int most) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      try (BodyStream body = open()) {
        byte[] piece = body.next();
        while (piece != null) {
          if (piece.length > most - all.size()) {
            throw new InvalidMessageException(
                "the external payload exceeds this worker's limit of %,d bytes; raise the limit, or handle it as an InputStream"
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
