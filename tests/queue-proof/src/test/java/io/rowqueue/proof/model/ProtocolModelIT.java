package io.rowqueue.proof.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.rowqueue.proof.model.Scenario.BatchChanges;
import io.rowqueue.proof.model.Scenario.Failure;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * Goal: whatever order producers, workers, reapers, operators and the clock act in, the tables are
 * what the protocol says. Method: random plays on the real protocol and on a model of it; all
 * tables are compared after each step, and a play that fails is shrunk. Replay one by {@code
 * -Drowqueue.model.seed} and {@code -Drowqueue.model.tries=1}, or the shrunk one by {@code
 * -Drowqueue.model.play}: its steps, each with the numbers of its choices. One that showed a bug
 * belongs in {@code knownPlay_leavesTheTablesAsTheModelHasThem}.
 *
 * <p>Not covered: schedules, waiting for row locks, lost connections, the worker's threads and
 * notifications, batches and shared commits.
 */
@QueueTest
@ResourceLock(CapturedLog.LEVELS)
class ProtocolModelIT {

  /** Given, exactly so many plays; otherwise as many as go into {@link #TIME}. */
  private static final int TRIES = Integer.getInteger("rowqueue.model.tries", 0);

  private static final Duration TIME =
      Duration.ofSeconds("all".equals(System.getProperty("rowqueue.test.sample")) ? 60 : 10);
  private static final int STEPS = Integer.getInteger("rowqueue.model.steps", 300);
  private static final Duration SHRINKING =
      Duration.ofSeconds(Integer.getInteger("rowqueue.model.shrinking.seconds", 120));

  /** Fewer plays cannot be expected to show everything. */
  private static final int ENOUGH = 40;

  private final BatchChanges tally = new BatchChanges();
  private Protocol protocol;
  private Scenario play;
  private @Nullable Level logged;

  @BeforeEach
  void openProtocol(QueueDatabase database) {
    database.execute(
        "CREATE TABLE IF NOT EXISTS effect (message_id BIGINT NOT NULL, claim INT NOT NULL)");
    protocol = new Protocol(database);
    play = new Scenario(database, protocol, tally);
    // Thousands of handlers fail on purpose.
    logged = rooms().getLevel();
    rooms().setLevel(Level.OFF);
  }

  @AfterEach
  void closeProtocol() throws SQLException {
    rooms().setLevel(logged);
    protocol.close();
  }

  private static Logger rooms() {
    return (Logger) LoggerFactory.getLogger("io.rowqueue");
  }

  @Test
  void anyInterleaving_leavesTheTablesAsTheModelHasThem() {
    long first = Long.getLong("rowqueue.model.seed", ThreadLocalRandom.current().nextLong());
    System.out.printf("model: plays from -Drowqueue.model.seed=%d on%n", first);
    long end = System.nanoTime() + TIME.toNanos();
    int plays = 0;
    while (TRIES == 0 ? System.nanoTime() < end : plays < TRIES) {
      playFrom(first + plays++);
    }
    System.out.printf("model: %d plays: %s%n", plays, tally);
    if (plays >= ENOUGH) {
      assertThat(Stream.of(Action.values()).filter(deed -> tally.of("step " + deed) == 0))
          .as("what never happened in %d plays", plays)
          .isEmpty();
    }
  }

  private void playFrom(long seed) {
    Random random = new Random(seed);
    List<Step> steps = Stream.generate(() -> Step.random(random)).limit(STEPS).toList();
    Failure failure = play.run(steps);
    if (failure != null) {
      report("-Drowqueue.model.seed=%d -Drowqueue.model.tries=1".formatted(seed), failure);
    }
  }

  private void report(String replay, Failure failure) {
    System.out.printf("model: a play of %d steps failed; shrinking%n", failure.played().size());
    List<Step> shrunk =
        new Shrinker(steps -> play.run(steps) != null, SHRINKING).shrink(failure.played());
    Failure shortest = play.run(shrunk);
    fail(
        "%s%nFirst seen with %s, and shrunk from %d steps.%nReplay: -Drowqueue.model.play=%s",
        shortest == null
            ? "The shrunk play does not fail every time; the whole one was:\n" + failure
            : "The protocol is not as its model after\n" + shortest,
        replay,
        failure.played().size(),
        Step.text(shortest == null ? failure.played() : shortest.played()));
  }

  /** Plays that once showed something, shrunk; and the one that is given. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        // A whole life.
        "enqueue,born,claim,begin,go-on,commit",
        // The prune waited for the copy that a handler was writing beside those that it deleted.
        "set-topic,read-settings,enqueue.0.1,born,claim,settle,begin,go-on,set-topic.0.1,prune"
      })
  void knownPlay_leavesTheTablesAsTheModelHasThem(String known) {
    String steps = System.getProperty("rowqueue.model.play", known);
    Failure failure = play.run(Step.parseAll(steps));
    if (failure != null) {
      fail("The protocol is not as its model after%n%s", failure);
    }
  }
}
