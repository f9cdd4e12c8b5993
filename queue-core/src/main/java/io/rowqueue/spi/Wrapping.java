package io.rowqueue.spi;

import io.rowqueue.Topic;
import io.rowqueue.internal.wrap.Unwrapping.Marks;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The wrappers that a producer applies, by topic; other topics are not wrapped. Immutable and
 * thread-safe.
 *
 * <pre>{@code
 * Wrapping.none().forTopic("order.paid", Zstd.above(1_024), Sealed.with(keys))
 * }</pre>
 */
public final class Wrapping {

  private static final Wrapping NONE = new Wrapping(Map.of());

  private final Map<Topic, List<Wrapper>> byTopic;

  private Wrapping(Map<Topic, List<Wrapper>> byTopic) {
    this.byTopic = byTopic;
  }

  /** Wraps nothing. */
  public static Wrapping none() {
    return NONE;
  }

  /**
   * Combines all of them.
   *
   * @throws IllegalArgumentException if two contain the same topic with different wrappers
   */
  public static Wrapping all(Collection<Wrapping> wrappings) {
    return wrappings.stream().reduce(NONE, Wrapping::and);
  }

  /**
   * A copy with {@code wrappers} for the payloads of {@code topic}, the innermost first.
   *
   * @throws IllegalArgumentException if one is given twice, encryption precedes compression, or
   *     {@code topic} has wrappers already
   */
  public Wrapping forTopic(String topic, Wrapper... wrappers) {
    return with(new Topic(topic), List.of(wrappers));
  }

  /**
   * Combines both.
   *
   * @throws IllegalArgumentException if both contain the same topic with different wrappers
   */
  public Wrapping and(Wrapping other) {
    Wrapping both = this;
    for (Map.Entry<Topic, List<Wrapper>> each : other.byTopic.entrySet()) {
      if (!each.getValue().equals(byTopic.get(each.getKey()))) {
        both = both.with(each.getKey(), each.getValue());
      }
    }
    return both;
  }

  private Wrapping with(Topic topic, List<Wrapper> wrappers) {
    check(wrappers);
    Map<Topic, List<Wrapper>> all = new TreeMap<>(byTopic);
    if (all.put(topic, wrappers) != null) {
      throw new IllegalArgumentException(
          "the payloads of '%s' already have wrappers; set all of them at once".formatted(topic));
    }
    return new Wrapping(Map.copyOf(all));
  }

  private static void check(List<Wrapper> wrappers) {
    if (wrappers.size() > Marks.MOST) {
      throw new IllegalArgumentException(
          "%d wrappers on one payload are more than the maximum of %d"
              .formatted(wrappers.size(), Marks.MOST));
    }
    Set<String> names = new HashSet<>();
    Wrapper.Kind[] kinds = wrappers.stream().map(Wrapper::kind).toArray(Wrapper.Kind[]::new);
    for (Wrapper wrapper : wrappers) {
      Marks.check(wrapper.name());
      if (!names.add(wrapper.name())) {
        throw new IllegalArgumentException("two wrappers have the name '" + wrapper.name() + "'");
      }
    }
    Wrapper.Kind[] sorted = kinds.clone();
    Arrays.sort(sorted);
    if (!Arrays.equals(kinds, sorted)) {
      throw new IllegalArgumentException(
          "an encrypted payload cannot be compressed: put compression before encryption");
    }
  }

  /** Whether it wraps the payloads of {@code topic}. */
  public boolean wraps(Topic topic) {
    return byTopic.containsKey(topic);
  }

  /** Wraps {@code payload}, of {@code version}, for the column of a message to {@code topic}. */
  public Wrapped wrap(Topic topic, byte[] payload, int version) {
    List<Wrapper> wrappers = byTopic.get(topic);
    return wrappers == null ? new Wrapped(payload, null) : wrap(topic, payload, version, wrappers);
  }

  /** Wraps the result of a handler of {@code topic}. */
  public Wrapped wrapResult(Topic topic, byte[] content) {
    return wrap(topic, content, Place.OF_A_RESULT);
  }

  private static Wrapped wrap(Topic topic, byte[] payload, int version, List<Wrapper> wrappers) {
    byte[] bytes = payload;
    String mark = "";
    for (Wrapper wrapper : wrappers) {
      String marked = Marks.with(mark, wrapper.name());
      byte[] wrapped = wrapper.wrap(bytes, new Place(topic, marked, version));
      if (wrapped != null) {
        bytes = wrapped;
        mark = marked;
      }
    }
    return new Wrapped(bytes, mark.isEmpty() ? null : mark);
  }

  /**
   * A payload as stored in the column.
   *
   * @param payload its bytes, wrapped or unchanged
   * @param mark the value of its header; null if it is unchanged
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Wrapped(byte[] payload, @Nullable String mark) {}
}
