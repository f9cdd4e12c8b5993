package io.rowqueue.internal.enqueue;

import io.rowqueue.BodySource;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageLimits;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.body.BodyLocations;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.message.Versions;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapped;
import io.rowqueue.spi.Wrapping;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes rows of messages: encodes and wraps their payloads, and decides where these are stored.
 *
 * @param store for payloads that do not belong into their rows; null: into chunks in the database
 * @param storedFrom how many bytes a payload has at least that goes to the store; so does what is
 *     streamed, since its length is known only behind it
 */
public record Encoder(
    PayloadCodec codec,
    Wrapping wrapping,
    MessageLimits limits,
    @Nullable BodyStore store,
    long storedFrom) {

  /** Refuses a negative length. */
  public Encoder {
    if (storedFrom < 0) {
      throw new IllegalArgumentException("from must be at least 0, not " + storedFrom);
    }
  }

  /** Without a store. */
  public Encoder(PayloadCodec codec, Wrapping wrapping, MessageLimits limits) {
    this(codec, wrapping, limits, null, 0);
  }

  /** With {@code other} in place of its wrapping. */
  public Encoder withWrapping(Wrapping other) {
    return new Encoder(codec, other, limits, store, storedFrom);
  }

  Encoder storing(BodyStore other, long from) {
    return new Encoder(codec, wrapping, limits, other, from);
  }

  /**
   * The payload and the headers of {@code message}. Unwrapped and wrapped its payload must be
   * within the limits, which are the workers', too.
   *
   * @throws InvalidMessageException if the payload or the headers exceed them
   * @throws io.rowqueue.PayloadException if it cannot be encoded
   */
  public EncodedBody body(NewMessage message) {
    return body(message, encode(message));
  }

  private EncodedBody body(NewMessage message, byte[] encoded) {
    int version = version(message);
    Wrapped wrapped = wrapping.wrap(message.topic(), encoded, version);
    return checked(message.topic(), wrapped.payload(), headers(message, version, wrapped.mark()));
  }

  private EncodedBody checked(Topic topic, byte[] payload, Map<String, String> headers) {
    String json = Headers.toJson(headers);
    limits.check(topic, payload, json);
    return new EncodedBody(payload, headers, json);
  }

  /** Before it is wrapped, since workers hold it to the limits when it is unwrapped. */
  private byte[] encode(NewMessage message) {
    if (message.payload() instanceof BodySource || message.payload() instanceof InputStream) {
      throw new InvalidMessageException(
          "a payload of '%s' is a stream, which has no place here; where streams are taken, enqueue NewMessage.streamed"
              .formatted(message.topic()));
    }
    Type type = message.payloadType();
    byte[] encoded =
        type == null ? codec.encode(message.payload()) : codec.encode(message.payload(), type);
    limits.check(message.topic(), encoded, null);
    return encoded;
  }

  /** The caller's word goes before the type's. */
  private static int version(NewMessage message) {
    return message.headers().containsKey(Headers.VERSION)
        ? Versions.of(message.headers())
        : Versions.of(message.payload().getClass());
  }

  /** The caller's, and what readers must know of the payload. */
  private static Map<String, String> headers(
      NewMessage message, int version, @Nullable String mark) {
    if (mark == null && version == Versions.FIRST) {
      return message.headers();
    }
    Map<String, String> headers = new LinkedHashMap<>(message.headers());
    if (version != Versions.FIRST) {
      headers.put(Headers.VERSION, Integer.toString(version));
    }
    if (mark != null) {
      headers.put(Headers.WRAPPED, mark);
    }
    return headers;
  }

  /** The row of {@code message}; a stream is read when its payload is written. */
  EncodedMessage row(NewMessage message) {
    return message.payload() instanceof BodySource source
        ? streamed(message, source)
        : row(message, body(message));
  }

  private EncodedMessage row(NewMessage message, EncodedBody body) {
    byte[] bytes = body.payload();
    if (bytes.length <= limits.bodyAbove() || mayReplace(message)) {
      return EncodedMessage.of(message, body, null);
    }
    return external(
        message,
        body.headers(),
        new EncodedMessage.ExternalBody(
            message.topic(),
            () -> new ByteArrayInputStream(bytes),
            bytes.length,
            bytes.length >= storedFrom ? store : null));
  }

  private EncodedMessage streamed(NewMessage message, BodySource source) {
    if (mayReplace(message)) {
      throw new InvalidMessageException(
          "a streamed message to '%s' cannot replace another; enqueue it without replacing(), or as bytes"
              .formatted(message.topic()));
    }
    if (wrapping.wraps(message.topic())) {
      throw new InvalidMessageException(
          "payloads of '%s' are wrapped, which needs them as a whole; enqueue bytes, or stream what you have compressed or sealed yourself with a producer that does not wrap"
              .formatted(message.topic()));
    }
    return external(
        message,
        message.headers(),
        new EncodedMessage.ExternalBody(message.topic(), source, limits.streamedBytes(), store));
  }

  /** Whoever replaces a message changes its row, and cannot lock chunks that may not be there. */
  private static boolean mayReplace(NewMessage message) {
    return message.deduplication() != null && message.deduplication().replaces();
  }

  /** A row that names where its payload is. */
  private EncodedMessage external(
      NewMessage message, Map<String, String> headers, EncodedMessage.ExternalBody body) {
    Map<String, String> marked = new LinkedHashMap<>(headers);
    marked.put(Headers.BODY, body.store() == null ? BodyLocations.ROWS : BodyLocations.STORED);
    return EncodedMessage.of(message, checked(message.topic(), new byte[0], marked), body);
  }

  /**
   * A message that is published, encoded before it is known who gets it. Copies share its bytes,
   * unless their topics have wrappers: encryption binds them to the topic.
   *
   * @param message as it was published; its topic is the source
   * @param payload its bytes before they are wrapped, within the limits; null if it is streamed
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Draft(NewMessage message, byte @Nullable [] payload) {}

  /** Those of {@code messages}, in their order. */
  List<Draft> drafts(Collection<NewMessage> messages) {
    return messages.stream().map(this::draft).toList();
  }

  /** A key is held by one message of one topic, and a publication is as many as are subscribed. */
  private Draft draft(NewMessage message) {
    if (message.deduplication() != null) {
      throw new InvalidMessageException(
          "a message published under '%s' has a deduplication key, and keys are for enqueue; enqueue it, or publish it without"
              .formatted(message.topic()));
    }
    return new Draft(message, message.payload() instanceof BodySource ? null : encode(message));
  }

  /** The copy of {@code draft} for {@code topic}. */
  EncodedMessage copy(Draft draft, Topic topic) {
    NewMessage copy =
        draft
            .message()
            .withTopic(topic)
            .withStoredHeader(Headers.SOURCE, draft.message().topic().name());
    return draft.payload() == null ? row(copy) : row(copy, body(copy, draft.payload()));
  }
}
