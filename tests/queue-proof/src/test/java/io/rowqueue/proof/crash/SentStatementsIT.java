package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.operation.Operation;
import io.rowqueue.proof.operation.OperationRunner;
import io.rowqueue.proof.operation.Operations;
import io.rowqueue.proof.statement.SqlText;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.statement.Tap.Sent;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * Holds every operation to the statements that {@link StatementsFile} records for this server, so
 * that a review sees each statement that changes. {@code -Drowqueue.docs.update=true} writes the
 * file instead; run it on both servers.
 */
@QueueTest
class SentStatementsIT {

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
