package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.proof.operation.Operation;
import io.rowqueue.proof.operation.OperationRunner;
import io.rowqueue.proof.operation.Operations;
import io.rowqueue.proof.operation.Outcome;
import io.rowqueue.proof.statement.SqlText;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.Tap.Sent;
import java.io.IOException;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Holds every operation to the statements that {@link StatementsFile} records for this server, so
 * that a review sees each statement that changes. {@code -Drowqueue.docs.update=true} writes the
 * file instead; run it on both servers.
 */
@QueueTest
class SentStatementsIT {

  private static final Pattern LISTS =
      Pattern.compile("^(UPDATE|DELETE).*(\\bid IN \\(|_id IN \\(|\\) OR \\()");

  /**
   * What callers ask for succeeds or fails as a whole. A refused claim or settlement is repeated
   * one by one by its own caller.
   */
  private static final Set<String> ONE_BY_ONE_ELSEWHERE =
      Set.of(
          "ack",
          "batch-add",
          "batch-close",
          "claim",
          "discard",
          "enqueue",
          "redrive",
          "release",
          "retry");

  @Test
  void statements_areThoseOfTheFile(QueueDatabase database) throws IOException {
    String server = database.isMariaDb() ? "MariaDB" : "MySQL";
    Map<String, List<String>> sent = sent(database);
    StatementsFile file = StatementsFile.read();
    if (Boolean.getBoolean("rowqueue.docs.update")) {
      file.update(server, sent);
    }
    assertThat(file.operations()).containsExactlyElementsOf(sent.keySet());
    sent.forEach(
        (operation, statements) ->
            assertThat(file.statements(operation, server))
                .as(operation)
                .containsExactlyElementsOf(statements));
    assertThat(file.unused()).as("numbers of statements that no operation sends").isEmpty();
  }

  /**
   * A worker changes rows whose ids it has read in {@link RefusedRows}, so that one row that the
   * server refuses holds up no other.
   */
  @Test
  void workers_changeRowsOfAList_whereOneMayBeRefused(QueueDatabase database) {
    Set<String> without = new TreeSet<>();
    try (OperationRunner runner = new OperationRunner(database)) {
      for (Operation operation : Operations.all()) {
        Outcome unused =
            runner.run(
                operation,
                new Tap() {
                  @Override
                  public void before(Sent sent, Connection real) {
                    if (LISTS.matcher(SqlText.line(sent.sql())).find() && !isInRefusedRows()) {
                      without.add(operation.transition().label());
                    }
                  }
                });
      }
    }
    assertThat(without).containsExactlyInAnyOrderElementsOf(ONE_BY_ONE_ELSEWHERE);
  }

  private static boolean isInRefusedRows() {
    String name = RefusedRows.class.getName();
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getClassName().equals(name)));
  }

  private static Map<String, List<String>> sent(QueueDatabase database) {
    Map<String, List<String>> sent = new LinkedHashMap<>();
    try (OperationRunner runner = new OperationRunner(database)) {
      for (Operation operation : Operations.all()) {
        sent.put(
            operation.toString(),
            runner.run(operation).sent().stream().map(Sent::sql).map(SqlText::line).toList());
      }
    }
    return sent;
  }
}
