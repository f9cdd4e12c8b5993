package io.rowqueue.testkit.internal.memory;

import io.rowqueue.BodySource;
import io.rowqueue.Deduplication;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadException;
import io.rowqueue.internal.body.BodyLocations;
import io.rowqueue.internal.enqueue.EncodedBody;
import io.rowqueue.internal.enqueue.Encoder;
import io.rowqueue.internal.message.Headers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message whose payload is encoded, or read from its stream.
 *
 * @param body the payload in its row
 * @param external the separately stored payload; null if there is none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record MemoryDraft(NewMessage message, EncodedBody body, byte @Nullable [] external) {

  static MemoryDraft of(NewMessage message, Encoder encoder, Rules rules) {
    MemoryDraft draft =
        message.payload() instanceof BodySource source
            ? streamed(message, source, encoder)
            : encoded(message, encoder, rules);
    encoder.limits().check(message.topic(), draft.body.payload(), draft.body.json());
    return draft;
  }

  private static MemoryDraft encoded(NewMessage message, Encoder encoder, Rules rules) {
    EncodedBody body = encoder.body(message);
    boolean fits = !rules.isExternal(body.payload().length, encoder.limits().bodyAbove());
    return fits || rules.staysInItsRow(message.deduplication())
        ? new MemoryDraft(message, body, null)
        : external(message, body.headers(), body.payload());
  }

  private static MemoryDraft streamed(NewMessage message, BodySource source, Encoder encoder) {
    Deduplication rule = message.deduplication();
    if (rule != null && rule.replaces()) {
      throw new InvalidMessageException(
          "a streamed message to '%s' cannot replace another".formatted(message.topic()));
    }
    if (encoder.wrapping().wraps(message.topic())) {
      throw new InvalidMessageException(
          "payloads of '%s' are wrapped, which streams do not support".formatted(message.topic()));
    }
    byte[] bytes = read(message, source, encoder.limits().streamedBytes());
    return external(message, message.headers(), bytes);
  }

  private static MemoryDraft external(
      NewMessage message, Map<String, String> headers, byte[] payload) {
    Map<String, String> marked = new LinkedHashMap<>(headers);
    marked.put(Headers.BODY, BodyLocations.ROWS);
    EncodedBody row = new EncodedBody(new byte[0], marked, Headers.toJson(marked));
    return new MemoryDraft(message, row, payload);
  }

  /** Reads in chunks, since some streams report their end for a read of length zero. */
  private static byte[] read(NewMessage message, BodySource source, long most) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    byte[] piece = new byte[8 << 10];
    try (InputStream in = source.open()) {
      int read = in.read(piece);
      while (read >= 0) {
        all.write(piece, 0, read);
        if (all.size() > most) {
          throw new InvalidMessageException(
              "the streamed payload of a message to '%s' has more than %,d bytes"
                  .formatted(message.topic(), most));
        }
        read = in.read(piece);
      }
      return all.toByteArray();
    } catch (IOException e) {
      throw new PayloadException(
          "nothing was enqueued: the payload of a message to '%s' could not be read: %s"
              .formatted(message.topic(), e),
          e);
    }
  }
}
