package io.rowqueue.handler;

import io.rowqueue.PayloadException;
import io.rowqueue.PayloadVersion;
import io.rowqueue.internal.message.Versions;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Converts payloads of old versions to the current type, one step from each version to the next.
 * Rows are not changed; the steps run each time a payload is read. Immutable; {@link #from} returns
 * a copy. Thread-safe if the steps are.
 *
 * <pre>{@code
 * Upcasters.to(OrderPaid.class)
 *     .from(1, tree -> tree.putIfAbsent("currency", "EUR"))
 *     .from(2, OrderPaidUpcasts::amountFromCents)
 * }</pre>
 */
public final class Upcasters {

  /** Converts from one version to the next. Must be pure: it depends only on the tree. */
  @FunctionalInterface
  public interface Step {

    /**
     * Changes {@code tree}, a payload of the step's version, to the next version.
     *
     * @throws Exception if it is not a payload of that version; the message is dead-lettered
     */
    void upcast(Map<String, Object> tree) throws Exception;
  }

  private final Class<?> type;
  private final int newest;
  private final int oldest;
  private final NavigableMap<Integer, Step> steps;

  private Upcasters(Class<?> type, int oldest, NavigableMap<Integer, Step> steps) {
    this.type = type;
    this.newest = Versions.of(type);
    this.oldest = oldest;
    this.steps = steps;
  }

  /**
   * Converts to {@code type}, whose {@link PayloadVersion} is the version that the steps must
   * reach.
   */
  public static Upcasters to(Class<?> type) {
    return new Upcasters(type, Versions.FIRST, new TreeMap<>());
  }

  /** The type to which they convert. */
  public Class<?> target() {
    return type;
  }

  /**
   * A copy with a step from {@code version} to the next.
   *
   * @throws IllegalArgumentException if the type's version is not above {@code version}, or there
   *     is a step from it already
   */
  public Upcasters from(int version, Step step) {
    if (version < Versions.FIRST || version >= newest) {
      throw new IllegalArgumentException(
          "a step from version %d has no target: %s is version %d"
              .formatted(version, type.getName(), newest));
    }
    NavigableMap<Integer, Step> more = new TreeMap<>(steps);
    if (more.put(version, step) != null) {
      throw new IllegalArgumentException("there are two steps from version " + version);
    }
    return new Upcasters(type, oldest, more);
  }

  /**
   * A copy for topics without messages older than {@code version}: no step is needed for them, and
   * an older row, such as one inserted by plain SQL, is dead-lettered as {@code undecodable}.
   *
   * @throws IllegalArgumentException if {@code version} is not from 1 to the type's
   */
  public Upcasters readingFrom(int version) {
    if (version < Versions.FIRST || version > newest) {
      throw new IllegalArgumentException(
          "%s is version %d, so it cannot be read from version %d on"
              .formatted(type.getName(), newest, version));
    }
    return new Upcasters(type, version, steps);
  }

  /**
   * Checks that the steps lead to {@code payload} without a gap.
   *
   * @throws IllegalArgumentException if they do not
   */
  public void check(Type payload) {
    if (payload != type) {
      throw new IllegalArgumentException(
          "its upcasters lead to %s, but its payload type is %s"
              .formatted(type.getName(), payload.getTypeName()));
    }
    for (int version = oldest; version < newest; version++) {
      if (!steps.containsKey(version)) {
        throw new IllegalArgumentException(
            "its upcasters have a gap: there is no step from version %d to %d, and %s is version %d"
                .formatted(version, version + 1, type.getName(), newest));
      }
    }
  }

  /**
   * Converts {@code tree}, of {@code version}, to the current version.
   *
   * @throws PayloadException if a step fails
   */
  public void upcast(Map<String, Object> tree, int version) {
    for (Map.Entry<Integer, Step> step : steps.tailMap(version).entrySet()) {
      try {
        step.getValue().upcast(tree);
      } catch (Exception | LinkageError | StackOverflowError e) {
        if (e instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
        throw new PayloadException("upcaster from %d: %s".formatted(step.getKey(), e), e);
      }
    }
  }

  boolean hasSteps() {
    return !steps.isEmpty();
  }

  /** Whether a payload of {@code version} can be converted to the current version. */
  boolean reachesFrom(int version) {
    return version >= oldest && (version == newest || steps.containsKey(version));
  }
}
