package io.rowqueue.proof.operation;

import io.rowqueue.internal.database.Transition;
import io.rowqueue.proof.operation.OperatorOperations.KeyLimitOperations;
import io.rowqueue.proof.operation.OperatorOperations.LimitOperations;
import io.rowqueue.proof.operation.OperatorOperations.OrderOperations;
import io.rowqueue.proof.operation.QueueOperations.BodyOperations;
import io.rowqueue.proof.operation.QueueOperations.KeyOperations;
import io.rowqueue.proof.operation.ScheduleOperations.FanOutOperations;
import io.rowqueue.proof.operation.WorkerOperations.LongOperations;
import io.rowqueue.proof.operation.WorkerOperations.ResultOperations;
import io.rowqueue.proof.operation.WorkerOperations.SettlementOperations;
import java.util.List;
import java.util.stream.Stream;

/** Every transition of the protocol, in all its ways. */
public final class Operations {

  private Operations() {}

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

  public static Operation first(Transition transition) {
    return all().stream()
        .filter(operation -> operation.transition() == transition)
        .findFirst()
        .orElseThrow();
  }
}
