package io.rowqueue.proof.statement;

import io.rowqueue.database.Transition;
import io.rowqueue.proof.operation.Operation;
import io.rowqueue.proof.operation.OperationRunner;
import io.rowqueue.proof.operation.Operations;
import io.rowqueue.proof.operation.Outcome;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.statement.Sent;
import java.util.Map;
import java.util.TreeMap;

/** What each transition sends to the server, as {@code docs/protocol.md} shows it. */
public final class ProtocolSql {

  private ProtocolSql() {}

  /** Runs every transition once, on {@code database}. */
  public static Map<Transition, String> of(QueueDatabase database) {
    Map<Transition, String> sql = new TreeMap<>();
    try (OperationRunner runner = new OperationRunner(database)) {
      for (Operation operation : Operations.all()) {
        if (operation.onPage()) {
          sql.merge(
              operation.transition(),
              text(operation, runner.run(operation)),
              (before, now) -> before + "\n" + now);
        }
      }
    }
    return Map.copyOf(sql);
  }

  private static String text(Operation operation, Outcome outcome) {
    String text = SqlText.of(outcome.sent().stream().map(Sent::sql).toList());
    return operation.variant().isEmpty() ? text : "-- " + operation.variant() + "\n" + text;
  }
}
