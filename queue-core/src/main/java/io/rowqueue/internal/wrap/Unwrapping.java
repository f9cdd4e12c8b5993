package io.rowqueue.internal.wrap;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageLimits;
import io.rowqueue.Topic;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.message.Versions;
import io.rowqueue.spi.NotWrappedException;
import io.rowqueue.spi.Place;
import io.rowqueue.spi.UnreadableException;
import io.rowqueue.spi.Unwrapper;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Undoes what the headers say was done to a payload, and nothing else: nothing is guessed or tried.
 * Immutable and thread-safe.
 */
@Singleton
public final class Unwrapping {

  private final Map<String, Unwrapper> byName;
  private final int most;

  /**
   * With {@code allowed}, for payloads up to {@code limits}, wrapped or not.
   *
   * @throws IllegalArgumentException if two that differ have one name
   */
  @Inject
  public Unwrapping(Set<Unwrapper> allowed, MessageLimits limits) {
    Map<String, Unwrapper> named = new TreeMap<>();
    for (Unwrapper unwrapper : allowed) {
      Marks.check(unwrapper.name());
      Unwrapper other = named.putIfAbsent(unwrapper.name(), unwrapper);
      if (other != null && !other.equals(unwrapper)) {
        throw new IllegalArgumentException(
            "two wrappers named '%s' are allowed, and a payload says only the name; allow one"
                .formatted(unwrapper.name()));
      }
    }
    byName = Map.copyOf(named);
    most = limits.payloadBytes();
  }

  /** The names of what is allowed, in order. */
  public Set<String> names() {
    return new TreeSet<>(byName.keySet());
  }

  /**
   * The payload of a row of {@code topic} as its codec wrote it.
   *
   * @param required names that its mark must have
   * @throws NotWrappedException if it lacks one of {@code required}
   * @throws UnreadableException if a wrapper is not allowed here, or what it needs is missing
   * @throws io.rowqueue.PayloadException if the mark is none, or the bytes do not unwrap
   * @throws InvalidMessageException if a wrapper holds more than the limit
   */
  public byte[] unwrap(
      Topic topic, byte[] payload, Map<String, String> headers, Collection<String> required) {
    String mark = headers.get(Headers.WRAPPED);
    List<String> names = mark == null ? List.of() : Marks.names(mark);
    check(mark, names, required);
    if (mark == null) {
      return payload;
    }
    return unwrap(payload, names, new Place(topic, mark, Versions.of(headers)));
  }

  /**
   * Checks the same of a payload that is not unwrapped.
   *
   * @throws NotWrappedException if it lacks one of {@code required}
   */
  public void check(Map<String, String> headers, Collection<String> required) {
    String mark = headers.get(Headers.WRAPPED);
    check(mark, mark == null ? List.of() : Marks.names(mark), required);
  }

  private static void check(
      @Nullable String mark, List<String> names, Collection<String> required) {
    if (!required.isEmpty() && !names.containsAll(required)) {
      throw new NotWrappedException(
          "the payload must be wrapped by %s, and its header %s says %s"
              .formatted(required, Headers.WRAPPED, mark == null ? "nothing" : "'" + mark + "'"));
    }
  }

  /**
   * What the handler of a message of {@code topic} gave back, as its codec wrote it; the exceptions
   * are those of {@link #unwrap}.
   */
  public byte[] unwrapResult(Topic topic, byte[] content, Map<String, String> headers) {
    String mark = headers.get(Headers.WRAPPED);
    return mark == null
        ? content
        : unwrap(content, Marks.names(mark), new Place(topic, mark, Place.OF_A_RESULT));
  }

  private byte[] unwrap(byte[] payload, List<String> names, Place place) {
    byte[] bytes = payload;
    String left = place.mark();
    for (int i = names.size() - 1; i >= 0; i--) {
      bytes =
          named(names.get(i)).unwrap(bytes, new Place(place.topic(), left, place.version()), most);
      if (bytes.length > most) {
        throw tooLarge(most);
      }
      left = left.substring(0, Math.max(0, left.lastIndexOf(',')));
    }
    return bytes;
  }

  private Unwrapper named(String name) {
    Unwrapper unwrapper = byName.get(name);
    if (unwrapper == null) {
      throw new UnreadableException(
          "the payload is wrapped by '%s', and this worker may read %s"
              .formatted(name, byName.isEmpty() ? "no wrapper" : byName.keySet()));
    }
    return unwrapper;
  }

  /** What wraps more than {@code most} bytes is refused so. */
  public static InvalidMessageException tooLarge(int most) {
    return new InvalidMessageException(
        "the payload has more than this worker's limit of %,d bytes once it is unwrapped"
            .formatted(most));
  }
}
