package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageId;
import io.rowqueue.QueueException;
import io.rowqueue.internal.database.MissingPrivilege;
import io.rowqueue.operate.MessageDetails;
import java.util.OptionalLong;
import java.util.function.Function;

/**
 * How long a payload is that lies beside its row.
 *
 * @param readable whether the account may ask
 * @param bytes empty if there is none, or none any more
 */
record ExternalBodyLength(boolean readable, OptionalLong bytes) {

  /** Of one in its row, or of which nobody has asked. */
  static final ExternalBodyLength NONE = new ExternalBodyLength(true, OptionalLong.empty());

  /**
   * That of {@code found}.
   *
   * @param requested asked only where the headers say that it lies beside the row
   */
  static ExternalBodyLength of(MessageDetails found, Function<MessageId, OptionalLong> requested) {
    MessageDetails.Row row = found.row();
    if (row == null || BodyText.place(row.body()) == null) {
      return NONE;
    }
    try {
      return new ExternalBodyLength(true, requested.apply(found.id()));
    } catch (QueueException e) {
      // An account of an earlier version: all else of the message is shown.
      if (!MissingPrivilege.isIn(e)) {
        throw e;
      }
      return new ExternalBodyLength(false, OptionalLong.empty());
    }
  }

  /** Such as {@code 700,000 bytes beside the row, in queue_payload_chunk}. */
  String at(String place) {
    if (bytes.isPresent()) {
      return "%,d byte%s %s".formatted(bytes.getAsLong(), bytes.getAsLong() == 1 ? "" : "s", place);
    }
    return readable
        ? place + ", where it is not (any more)"
        : place + "; how long it is, an account with `grants operator` sees";
  }
}
