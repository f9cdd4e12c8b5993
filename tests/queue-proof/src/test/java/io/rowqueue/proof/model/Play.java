package io.rowqueue.proof.model;

import io.rowqueue.testkit.QueueDatabase;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Plays steps from an empty queue on, and compares all tables after each. */
final class Play {

  private final QueueDatabase database;
  private final Protocol protocol;
  private final Tally tally;

  Play(QueueDatabase database, Protocol protocol, Tally tally) {
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
          if (step.deed().action().isPossible(world)) {
            played.add(step);
            step.deed().action().play(world, new Choices(step.numbers()));
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

  /**
   * A play that went wrong at its last step.
   *
   * @param played the steps that were possible
   * @param script what they did
   */
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
}
