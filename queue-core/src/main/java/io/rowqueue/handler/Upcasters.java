package io.rowqueue.handler;

import io.rowqueue.PayloadException;
import io.rowqueue.PayloadVersion;
import io.rowqueue.internal.message.Versions;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * The way from payloads of old versions to the type of today, one step from each version to the
 * next. Rows keep what was written; the steps run each time that one is read. Immutable; {@link
 * #from} returns a copy. Thread-safe if the steps are.
 *
 * <pre>{@code
 * Upcasters.to(OrderPaid.class)
 *     .from(1, tree -> tree.putIfAbsent("currency", "EUR"))
 *     .from(2, OrderPaidUpcasts::amountFromCents)
 * }</pre>
 */
public final class Upcasters {

  /** From one version to the next. Pure: it depends on nothing but the tree. */
  @FunctionalInterface
  public interface Step {

    /**
     * Makes {@code tree}, a payload of the version that the step is from, one of the next.
     *
     * @throws Exception if it is not one of that version; it makes a dead letter
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

  /** To {@code type}, whose {@link PayloadVersion} says how far the steps must lead. */
  public static Upcasters to(Class<?> type) {
    return new Upcasters(type, Versions.FIRST, new TreeMap<>());
  }

  /**
   * The same with a step from {@code version} to the one behind it.
   *
   * @throws IllegalArgumentException if the type's version is not above {@code version}, or there
   *     is a step from it already
   */
  public Upcasters from(int version, Step step) {
    if (version < Versions.FIRST || version >= newest) {
      throw new IllegalArgumentException(
          "a step from version %d leads nowhere: %s is version %d"
              .formatted(version, type.getName(), newest));
    }
    NavigableMap<Integer, Step> more = new TreeMap<>(steps);
    if (more.put(version, step) != null) {
      throw new IllegalArgumentException("two steps lead from version " + version);
    }
    return new Upcasters(type, oldest, more);
  }

  /**
   * The same, for topics where nothing older than {@code version} is left or inserted by plain SQL:
   * no step is needed from there, and such a row is a dead letter {@code undecodable}.
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
   * Checks that they lead to {@code payload} without a gap.
   *
   * @throws IllegalArgumentException if they do not
   */
  public void check(Type payload) {
    if (payload != type) {
      throw new IllegalArgumentException(
          "its upcasters lead to %s, and its payload is a %s"
              .formatted(type.getName(), payload.getTypeName()));
    }
    for (int version = oldest; version < newest; version++) {
      if (!steps.containsKey(version)) {
        throw new IllegalArgumentException(
            "its upcasters have a gap: none leads from version %d to %d, and %s is version %d"
                .formatted(version, version + 1, type.getName(), newest));
      }
    }
  }

  /**
   * Brings {@code tree}, of {@code version}, to the newest.
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

  /** Whether a payload of {@code version} can become one of the newest. */
  boolean reachesFrom(int version) {
    return version >= oldest && (version == newest || steps.containsKey(version));
  }
}
