package io.rowqueue.proof.model;

import io.rowqueue.testkit.QueueDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Plays steps from an empty queue on, and compares all tables after each. */
final class Scenario {

  private final QueueDatabase database;
  private final Protocol protocol;
  private final BatchChanges tally;

  Scenario(QueueDatabase database, Protocol protocol, BatchChanges tally) {
    this.database = database;
    this.protocol = protocol;
    this.tally = tally;
  }

  /** What went wrong; null if nothing did. */
  @Nullable Failure run(List<Step> steps) {
    List<Step> played = new ArrayList<>();
    try (World world = new World(database, protocol, tally)) {
      try {
        for (Step step : steps) {
          if (step.deed().isPossible(world)) {
            played.add(step);
            step.deed().play(world, new Choices(step.numbers()));
            tally.count("step " + step.deed());
            world.check();
          }
        }
        return null;
      } catch (AssertionError | Exception e) {
        return new Failure(played, world.script(), e);
      }
    } catch (Exception e) {
      throw new IllegalStateException("a play could not be set up, or not be ended", e);
    }
  }

  /** A play that went wrong at its last step. */
  record Failure(List<Step> played, List<String> script, Throwable cause) {

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < script.size(); i++) {
        text.append("%3d. %s%n".formatted(i + 1, script.get(i)));
      }
      return text.append(cause instanceof AssertionError ? cause.getMessage() : cause).toString();
    }
  }

  /** How often what happened in all plays of a run, so that a run that shows nothing is seen. */
  static final class BatchChanges {

    private final Map<String, Integer> counts = new TreeMap<>();

    void count(String what) {
      counts.merge(what, 1, Integer::sum);
    }

    int of(String what) {
      return counts.getOrDefault(what, 0);
    }

    @Override
    public String toString() {
      return counts.entrySet().stream()
          .map(count -> count.getKey() + " " + count.getValue())
          .collect(Collectors.joining(", "));
    }
  }

  /**
   * The numbers that a step was given, turned into choices one after another. Zero is always the
   * plainest choice, so that shrinking numbers makes steps plainer. Not thread-safe.
   */
  static final class Choices {

    private final List<Integer> numbers;
    private int next;

    Choices(List<Integer> numbers) {
      this.numbers = numbers;
    }

    /** 0 to {@code bound - 1}. */
    int below(int bound) {
      return next() % bound;
    }

    <T> T of(List<T> options) {
      return options.get(below(options.size()));
    }

    @SafeVarargs
    final <T> T of(T... options) {
      return options[below(options.length)];
    }

    /** Seldom; never for zero. */
    boolean oneIn(int many) {
      return below(many) == many - 1;
    }

    private int next() {
      return next < numbers.size() ? numbers.get(next++) : 0;
    }
  }
}
