package io.rowqueue.internal.wrap;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageLimits;
import io.rowqueue.PayloadException;
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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Applies exactly the unwrappers that the headers list, without guessing. Immutable and
 * thread-safe.
 */
@Singleton
public final class Unwrapping {

  private final Map<String, Unwrapper> byName;
  private final int most;

  /**
   * With the {@code allowed} unwrappers, for payloads up to {@code limits}, wrapped or not.
   *
   * @throws IllegalArgumentException if two different ones have one name
   */
  @Inject
  public Unwrapping(Set<Unwrapper> allowed, MessageLimits limits) {
    Map<String, Unwrapper> named = new TreeMap<>();
    for (Unwrapper unwrapper : allowed) {
      Marks.check(unwrapper.name());
      Unwrapper other = named.putIfAbsent(unwrapper.name(), unwrapper);
      if (other != null && !other.equals(unwrapper)) {
        throw new IllegalArgumentException(
            "two wrappers named '%s' are allowed, but a payload contains only the name; allow one"
                .formatted(unwrapper.name()));
      }
    }
    byName = Map.copyOf(named);
    most = limits.payloadBytes();
  }

  /** The names of the allowed unwrappers, sorted. */
  public Set<String> names() {
    return new TreeSet<>(byName.keySet());
  }

  /** The limit for payloads, in bytes. */
  public int mostBytes() {
    return most;
  }

  /**
   * Unwraps the payload of a row of {@code topic}.
   *
   * @param required names that its mark must contain
   * @throws NotWrappedException if it lacks one of {@code required}
   * @throws UnreadableException if a wrapper is not allowed here, or something that it needs is
   *     missing
   * @throws io.rowqueue.PayloadException if the mark is invalid, or the bytes do not unwrap
   * @throws InvalidMessageException if the unwrapped payload exceeds the limit
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
   * Checks the required wrappers of a payload that is not unwrapped.
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
          "the payload must be wrapped by %s, but its header %s is %s"
              .formatted(required, Headers.WRAPPED, mark == null ? "missing" : "'" + mark + "'"));
    }
  }

  /** Unwraps a result of a handler of {@code topic}; throws the exceptions of {@link #unwrap}. */
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
          "the payload is wrapped by '%s', but this worker can only read %s"
              .formatted(name, byName.isEmpty() ? "no wrapper" : byName.keySet()));
    }
    return unwrapper;
  }

  /** The exception for a payload of more than {@code most} bytes. */
  public static InvalidMessageException tooLarge(int most) {
    return new InvalidMessageException(
        "the payload exceeds this worker's limit of %,d bytes once it is unwrapped; raise max-payload-size there"
            .formatted(most));
  }

  /**
   * Marks: the names of a payload's wrappers, separated by commas, in the order of their
   * application.
   */
  public static final class Marks {

    /** More than any application needs, and few enough to unwrap. */
    public static final int MOST = 8;

    private static final Pattern NAME = Pattern.compile("[a-z0-9-]{1,32}");

    private Marks() {}

    public static void check(String name) {
      if (!NAME.matcher(name).matches()) {
        throw new IllegalArgumentException(
            "a wrapper's name has 1 to 32 lower-case letters, digits and hyphens, unlike '%s'"
                .formatted(name));
      }
    }

    public static String with(String mark, String name) {
      return mark.isEmpty() ? name : mark + "," + name;
    }

    /** The names in {@code mark}, the innermost first. */
    static List<String> names(String mark) {
      List<String> names = List.of(mark.split(",", MOST + 1));
      boolean each = names.stream().allMatch(name -> NAME.matcher(name).matches());
      if (!each || names.size() > MOST || names.stream().distinct().count() < names.size()) {
        throw new PayloadException(
            "the header %s is not a list of up to %d different wrappers"
                .formatted(Headers.WRAPPED, MOST));
      }
      return names;
    }
  }
}
