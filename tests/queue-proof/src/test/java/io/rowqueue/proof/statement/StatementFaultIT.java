package io.rowqueue.proof.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.proof.operation.Operation;
import io.rowqueue.proof.operation.OperationRunner;
import io.rowqueue.proof.operation.Operations;
import io.rowqueue.proof.operation.Outcome;
import io.rowqueue.proof.sample.Sample;
import io.rowqueue.proof.statement.FaultTap.Injection;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.statement.Fault;
import io.rowqueue.tests.statement.Tap.Sent;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/*
 * Goal: a deadlock or a lock wait timeout may hit any statement, and nothing is lost, doubled, or left
 * half done.
 * Method: each transition runs once undisturbed, and what it sends is written down. Then it runs on the
 * same rows once for each of those statements, which is refused the first time that it is sent: with
 * the transaction rolled back (deadlock), or still open with what was written before (lock wait
 * timeout). Afterwards every table holds what it holds after the undisturbed run, and the answer is the
 * same.
 */
@QueueTest
class StatementFaultIT {

  /** What {@code docs/internals/protocol.md} promises: 9 runs, and 3 of a handler's transaction. */
  private static final int RUNS = 9;

  private static final int HANDLER_RUNS = 3;

  private static final Set<Transition> PRODUCERS =
      Set.of(Transition.ENQUEUE, Transition.PUBLISH, Transition.BATCH_ADD, Transition.CHAIN_BEGIN);

  @Test
  void operations_haveEveryTransition_andNamesOfTheirOwn() {
    List<Operation> all = Operations.all();
    assertThat(all.stream().map(Operation::transition)).contains(Transition.values());
    assertThat(all.stream().map(Operation::toString)).doesNotHaveDuplicates();
  }

  @TestFactory
  Stream<DynamicContainer> oneStatementIsRefusedOnce(QueueDatabase database) {
    OperationRunner runner = new OperationRunner(database);
    Sample<Operation> sample = Sample.of(StatementFaultIT.class, 8, Operations.all());
    // Each operation makes its cases when its turn comes, and one that fails keeps no other from
    // it.
    return sample.cells().stream()
        .map(
            operation ->
                dynamicContainer(
                    operation.toString(),
                    Stream.of(operation).flatMap(one -> cases(runner, sample, one).stream())))
        .onClose(runner::close);
  }

  private static List<DynamicTest> cases(
      OperationRunner runner, Sample<Operation> sample, Operation operation) {
    Outcome undisturbed = runner.run(operation);
    List<DynamicTest> cases = new ArrayList<>();
    cases.add(
        sample.test(operation, operation + ", undisturbed", one -> assertEffect(undisturbed)));
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
                  .formatted(operation, number, positions.size(), SqlText.head(hit.sql()), fault);
          Injection injection = Injection.once(fault, position);
          cases.add(
              sample.test(operation, name, one -> refuse(runner, one, undisturbed, injection)));
        }
      }
    }
    return cases;
  }

  private static void refuse(
      OperationRunner runner, Operation operation, Outcome undisturbed, Injection injection) {
    FaultTap tap = new FaultTap(injection);
    Outcome struck = runner.run(operation, tap);
    assertThat(tap.strikes()).isEqualTo(1);
    if (undisturbed.isOfCommittedIds(injection.position())) {
      assertUnknown(undisturbed, struck);
    } else if (undisturbed.isOfTransaction(injection.position())) {
      assertRepeated(operation, undisturbed, struck, injection);
    } else {
      assertRefused(undisturbed, struck, injection);
      assertMadeUpFor(undisturbed, struck, runner.again(struck));
    }
  }

  /** Or the comparisons would compare nothing. */
  private static void assertEffect(Outcome undisturbed) {
    assertThat(undisturbed.failure()).isNull();
    assertThat(undisturbed.repetitions()).isEmpty();
    assertThat(undisturbed.sent()).isNotEmpty();
    if (undisturbed.sent().stream().anyMatch(Sent::isCommit)) {
      assertThat(undisturbed.after().exact()).isNotEqualTo(undisturbed.before().exact());
    }
  }

  /** A transaction runs again as a whole, and says so. */
  private static void assertRepeated(
      Operation operation, Outcome undisturbed, Outcome struck, Injection injection) {
    assertThat(struck.failure()).isNull();
    assertThat(struck.answer()).isEqualTo(undisturbed.answer());
    assertThat(struck.rowsAfter()).isEqualTo(undisturbed.rowsAfter());
    // What is refused before it is known whose transaction that is leaves nothing to roll back.
    boolean begun =
        !undisturbed.sent().get(injection.position()).begins("SET TRANSACTION")
            && !undisturbed.isAutoCommitted(injection.position());
    assertThat(struck.lastBeside(injection.position()).isRollback())
        .as("the last on the connection that was hit is a rollback")
        .isEqualTo(begun);
    if (PRODUCERS.contains(operation.transition())) {
      // Producers have no metrics; the second run is seen by its connection.
      assertThat(struck.connections()).isEqualTo(undisturbed.connections() + 1);
    } else {
      assertThat(struck.repetitions())
          .containsExactly(operation.transition().label() + ": " + injection.fault().code());
    }
  }

  /** The messages are there, and their ids are not known. */
  private static void assertUnknown(Outcome undisturbed, Outcome struck) {
    assertThat(struck.failure()).isInstanceOf(EnqueueOutcomeUnknownException.class);
    assertThat(struck.rowsAfter()).isEqualTo(undisturbed.rowsAfter());
  }

  /** A read is its caller's to repeat: it fails, and has changed nothing. */
  private static void assertRefused(Outcome undisturbed, Outcome struck, Injection injection) {
    assertThat(struck.failure()).isInstanceOf(DatabaseUnavailableException.class);
    assertThat(Errors.sql(struck.failure()).getErrorCode()).isEqualTo(injection.fault().code());
    assertThat(struck.repetitions()).isEmpty();
    if (!undisturbed.hasCommittedBefore(injection.position())) {
      assertThat(struck.after().exact()).isEqualTo(struck.before().exact());
    }
  }

  private static void assertMadeUpFor(Outcome undisturbed, Outcome struck, Outcome again) {
    assertThat(again.failure()).isNull();
    assertThat(again.rowsAfter()).isEqualTo(undisturbed.rowsAfter());
    if (struck.sent().stream().noneMatch(Sent::isCommit)) {
      assertThat(again.answer()).isEqualTo(undisturbed.answer());
    }
  }

  /** A worker's, a handler's and a producer's transaction: the loops that repeat them. */
  @ParameterizedTest
  @EnumSource(names = {"PROMOTE", "ACK", "ENQUEUE"})
  @Tag("ci")
  void everyRunIsRefused(Transition transition, QueueDatabase database) {
    FaultTap tap = new FaultTap(Injection.everyCommit(Fault.DEADLOCK));
    Outcome struck;
    try (OperationRunner runner = new OperationRunner(database)) {
      struck = runner.run(Operations.first(transition), tap);
    }
    assertThat(struck.failure())
        .isInstanceOf(
            PRODUCERS.contains(transition)
                ? EnqueueException.class
                : DatabaseUnavailableException.class)
        .hasMessageContaining(transition.label() + " failed and was rolled back")
        .hasMessageContaining(Fault.DEADLOCK.exception().getMessage());
    assertThat(tap.strikes()).isEqualTo(transition == Transition.ACK ? HANDLER_RUNS : RUNS);
    assertThat(struck.after().exact()).isEqualTo(struck.before().exact());
  }
}
