package io.rowqueue.proof.operation;

import io.rowqueue.database.Transition;
import java.util.List;
import java.util.stream.Stream;

/** Every transition of the protocol, in all its ways. */
public final class Operations {

  private Operations() {}

  /** All of them; the names are unique. */
  public static List<Operation> all() {
    return Stream.of(
            WorkerOperations.all(),
            QueueOperations.all(),
            KeyOperations.all(),
            SettlementOperations.all(),
            OrderOperations.all(),
            KeyLimitOperations.all(),
            ResultOperations.all(),
            BatchOperations.all(),
            BodyOperations.all(),
            OperatorOperations.all(),
            LimitOperations.all(),
            LongOperations.all(),
            ScheduleOperations.all(),
            FanOutOperations.all())
        .flatMap(List::stream)
        .toList();
  }

  /** The first of those of {@code transition}. */
  public static Operation first(Transition transition) {
    return all().stream()
        .filter(operation -> operation.transition() == transition)
        .findFirst()
        .orElseThrow();
  }
}
