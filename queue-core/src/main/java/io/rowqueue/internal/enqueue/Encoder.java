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
import io.rowqueue.spi.Wrapping;
import io.rowqueue.spi.Wrapping.Wrapped;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Converts messages to rows: encodes and wraps the payloads, and decides where they are stored.
 *
 * @param store keeps external payloads; null to store them in chunks in the database
 * @param storedFrom the minimum size of a payload for the store, in bytes. Streams always go to the
 *     store, since their length is not known in advance
 */
public record Encoder(
    PayloadCodec codec,
    Wrapping wrapping,
    MessageLimits limits,
    @Nullable BodyStore store,
    long storedFrom) {

  /** Refuses a negative size. */
  public Encoder {
    if (storedFrom < 0) {
      throw new IllegalArgumentException("from must be at least 0, not " + storedFrom);
    }
  }

  /** Stores external payloads in the database. */
  public Encoder(PayloadCodec codec, Wrapping wrapping, MessageLimits limits) {
    this(codec, wrapping, limits, null, 0);
  }

  /** A copy that wraps with {@code other} instead. */
  public Encoder withWrapping(Wrapping other) {
    return new Encoder(codec, other, limits, store, storedFrom);
  }

  Encoder storing(BodyStore other, long from) {
    return new Encoder(codec, wrapping, limits, other, from);
  }

  /**
   * Encodes the payload and the headers of {@code message}. The payload must be within the limits
   * both before and after it is wrapped, since workers check both.
   *
   * @throws InvalidMessageException if the payload or the headers exceed the limits
   * @throws io.rowqueue.PayloadException if the payload cannot be encoded
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

  /** Checks the size before wrapping, since workers check it again after unwrapping. */
  private byte[] encode(NewMessage message) {
    if (message.payload() instanceof BodySource || message.payload() instanceof InputStream) {
      throw new InvalidMessageException(
          "a payload of '%s' is a stream, which is not supported here; where streams are supported, use NewMessage.streamed"
              .formatted(message.topic()));
    }
    Type type = message.payloadType();
    byte[] encoded =
        type == null ? codec.encode(message.payload()) : codec.encode(message.payload(), type);
    limits.check(message.topic(), encoded, null);
    return encoded;
  }

  /** A version in the caller's headers takes precedence over the type's. */
  private static int version(NewMessage message) {
    return message.headers().containsKey(Headers.VERSION)
        ? Versions.of(message.headers())
        : Versions.of(message.payload().getClass());
  }

  /** Adds to the caller's headers those that readers need to decode the payload. */
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

  /** Encodes {@code message} as a row. A stream is not read before its payload is written. */
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
          "payloads of '%s' are wrapped, which streams do not support; enqueue bytes, or compress or encrypt the stream yourself and use a producer that does not wrap"
              .formatted(message.topic()));
    }
    return external(
        message,
        message.headers(),
        new EncodedMessage.ExternalBody(message.topic(), source, limits.streamedBytes(), store));
  }

  /** A replacement updates the message's row alone, and cannot lock chunks that may not exist. */
  private static boolean mayReplace(NewMessage message) {
    return message.deduplication() != null && message.deduplication().replaces();
  }

  /** A row without a payload, with a header that names the location of the payload. */
  private EncodedMessage external(
      NewMessage message, Map<String, String> headers, EncodedMessage.ExternalBody body) {
    Map<String, String> marked = new LinkedHashMap<>(headers);
    marked.put(Headers.BODY, body.store() == null ? BodyLocations.ROWS : BodyLocations.STORED);
    return EncodedMessage.of(message, checked(message.topic(), new byte[0], marked), body);
  }

  /**
   * A published message, encoded before its subscriptions are read. Its copies share the encoded
   * bytes and are wrapped one by one, since encryption binds them to the topic.
   *
   * @param message as published; its topic is the source
   * @param payload the bytes before wrapping, within the limits; null if it is streamed
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Draft(NewMessage message, byte @Nullable [] payload) {}

  /** The drafts of {@code messages}, in their order. */
  List<Draft> drafts(Collection<NewMessage> messages) {
    return messages.stream().map(this::draft).toList();
  }

  /** Refuses deduplication keys: one message holds a key, and a publication has many copies. */
  private Draft draft(NewMessage message) {
    if (message.deduplication() != null) {
      throw new InvalidMessageException(
          "a message published under '%s' has a deduplication key, which publications do not support; enqueue it, or publish it without the key"
              .formatted(message.topic()));
    }
    return new Draft(message, message.payload() instanceof BodySource ? null : encode(message));
  }

  /** Encodes the copy of {@code draft} for {@code topic}. */
  EncodedMessage copy(Draft draft, Topic topic) {
    NewMessage copy =
        draft
            .message()
            .withTopic(topic)
            .withStoredHeader(Headers.SOURCE, draft.message().topic().name());
    return draft.payload() == null ? row(copy) : row(copy, body(copy, draft.payload()));
  }
}
