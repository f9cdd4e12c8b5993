package io.rowqueue.proof.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.rowqueue.database.DatabaseUnavailableException;
import io.rowqueue.database.Transition;
import io.rowqueue.enqueue.EnqueueException;
import io.rowqueue.proof.statement.FaultTap.Strike;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/*
 * Goal: a deadlock or a lock wait timeout may hit any statement, and nothing is lost, doubled, or left
 * half done.
 * Method: each transition runs once undisturbed, and what it sends is written down. Then it runs on the
 * same rows once for each of those statements, which is refused the first time that it is sent: with
 * the transaction rolled back (deadlock), or still open with what was written before (lock wait
 * timeout). Afterwards every table holds what it holds after the undisturbed run, and the answer is the
 * same.
 */
/** Deadlocks and lock wait timeouts at every statement of the protocol. */
@QueueTest
class StatementFaultIT {

  /** What {@code docs/protocol.md} promises: 9 runs, and 3 of a handler's transaction. */
  private static final int RUNS = 9;

  private static final int HANDLER_RUNS = 3;

  private static final Set<Transition> PRODUCERS =
      Set.of(Transition.ENQUEUE, Transition.PUBLISH, Transition.BATCH_ADD, Transition.CHAIN_BEGIN);

  @Test
  void plays_haveEveryTransition() {
    assertThat(Plays.all().stream().map(Play::transition)).contains(Transition.values());
  }

  @TestFactory
  Stream<DynamicContainer> oneStatementIsRefusedOnce(QueueDatabase database) {
    Theatre theatre = new Theatre(database);
    // Each play makes its cases when its turn comes, and one that fails keeps no other from it.
    return Plays.all().stream()
        .map(
            play ->
                dynamicContainer(
                    play.toString(), Stream.of(play).flatMap(one -> cases(theatre, one).stream())))
        .onClose(theatre::close);
  }

  private static List<DynamicTest> cases(Theatre theatre, Play play) {
    Performance undisturbed = theatre.perform(play);
    List<DynamicTest> cases = new ArrayList<>();
    cases.add(dynamicTest(play + ", undisturbed", () -> assertEffect(undisturbed)));
    List<Integer> positions =
        IntStream.range(0, undisturbed.sent().size())
            .filter(position -> Fault.DEADLOCK.hits(undisturbed.sent().get(position)))
            .boxed()
            .toList();
    for (int position : positions) {
      Sent hit = undisturbed.sent().get(position);
      int number = positions.indexOf(position) + 1;
      for (Fault fault : Fault.values()) {
        if (fault.hits(hit)) {
          String name =
              "%s, statement %d of %d: %s: %s"
                  .formatted(play, number, positions.size(), SqlText.head(hit.sql()), fault);
          Strike strike = Strike.once(fault, position);
          cases.add(
              dynamicTest(
                  name,
                  () -> {
                    Performance struck = theatre.perform(play, strike);
                    if (undisturbed.isOfTransaction(position)) {
                      assertRepeated(play, undisturbed, struck, strike);
                    } else {
                      assertRefused(undisturbed, struck, strike);
                      assertMadeUpFor(undisturbed, struck, theatre.again(struck));
                    }
                  }));
        }
      }
    }
    return cases;
  }

  /** Or the comparisons would compare nothing. */
  private static void assertEffect(Performance undisturbed) {
    assertThat(undisturbed.failure()).isNull();
    assertThat(undisturbed.repetitions()).isEmpty();
    assertThat(undisturbed.sent()).isNotEmpty();
    if (undisturbed.sent().stream().anyMatch(Sent::isCommit)) {
      assertThat(undisturbed.after().exact()).isNotEqualTo(undisturbed.before().exact());
    }
  }

  /** A transaction runs again as a whole, and says so. */
  private static void assertRepeated(
      Play play, Performance undisturbed, Performance struck, Strike strike) {
    assertThat(struck.failure()).isNull();
    assertThat(struck.strikes()).isEqualTo(1);
    assertThat(struck.answer()).isEqualTo(undisturbed.answer());
    assertThat(struck.rowsAfter()).isEqualTo(undisturbed.rowsAfter());
    assertThat(struck.lastBeside(strike.position()).isRollback())
        .as("the last on the connection that was hit is a rollback")
        .isTrue();
    if (PRODUCERS.contains(play.transition())) {
      // Producers have no metrics; the second run is seen by its connection.
      assertThat(struck.connections()).isEqualTo(undisturbed.connections() + 1);
    } else {
      assertThat(struck.repetitions())
          .containsExactly(play.transition().label() + ": " + strike.fault().code());
    }
  }

  /** A look is its caller's to repeat: it fails, and has changed nothing. */
  private static void assertRefused(Performance undisturbed, Performance struck, Strike strike) {
    assertThat(struck.failure()).isInstanceOf(DatabaseUnavailableException.class);
    assertThat(Errors.sql(struck.failure()).getErrorCode()).isEqualTo(strike.fault().code());
    assertThat(struck.repetitions()).isEmpty();
    if (!undisturbed.hasCommittedBefore(strike.position())) {
      assertThat(struck.after().exact()).isEqualTo(struck.before().exact());
    }
  }

  private static void assertMadeUpFor(
      Performance undisturbed, Performance struck, Performance again) {
    assertThat(again.failure()).isNull();
    assertThat(again.rowsAfter()).isEqualTo(undisturbed.rowsAfter());
    if (struck.sent().stream().noneMatch(Sent::isCommit)) {
      assertThat(again.answer()).isEqualTo(undisturbed.answer());
    }
  }

  /** All at the same time, each in a schema of its own: each waits for seconds between its runs. */
  @TestFactory
  Stream<DynamicTest> everyRunIsRefused() {
    ExecutorService threads = Executors.newFixedThreadPool(Transition.values().length);
    List<Play> plays = Arrays.stream(Transition.values()).map(StatementFaultIT::first).toList();
    List<CompletableFuture<Performance>> performances =
        plays.stream()
            .map(play -> CompletableFuture.supplyAsync(() -> refuseEveryCommit(play), threads))
            .toList();
    return IntStream.range(0, plays.size())
        .mapToObj(
            i ->
                dynamicTest(
                    plays.get(i) + ", every COMMIT: " + Fault.DEADLOCK,
                    () -> assertGivenUp(plays.get(i), performances.get(i).join())))
        .onClose(threads::shutdownNow);
  }

  private static Play first(Transition transition) {
    return Plays.all().stream()
        .filter(play -> play.transition() == transition)
        .findFirst()
        .orElseThrow();
  }

  private static Performance refuseEveryCommit(Play play) {
    try (QueueDatabase own = QueueDatabase.create();
        Theatre theatre = new Theatre(own)) {
      return theatre.perform(play, Strike.everyCommit(Fault.DEADLOCK));
    }
  }

  private static void assertGivenUp(Play play, Performance struck) {
    Transition transition = play.transition();
    assertThat(struck.failure())
        .isInstanceOf(
            PRODUCERS.contains(transition)
                ? EnqueueException.class
                : DatabaseUnavailableException.class)
        .hasMessageContaining(transition.label() + " failed and was rolled back")
        .hasMessageContaining(Fault.DEADLOCK.exception().getMessage());
    assertThat(struck.strikes()).isEqualTo(transition == Transition.ACK ? HANDLER_RUNS : RUNS);
    assertThat(struck.after().exact()).isEqualTo(struck.before().exact());
  }
}
