package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.database.Transition;
import io.rowqueue.proof.operation.Operation;
import io.rowqueue.proof.operation.Operations;
import io.rowqueue.proof.statement.ProtocolSql;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The page, the code and the crash test say the same. */
@QueueTest
class ProtocolPageIT {

  /** With {@code -Drowqueue.docs.update=true} the page is written instead of compared. */
  private static final boolean UPDATE = Boolean.getBoolean("rowqueue.docs.update");

  @Test
  void sections_areTheTransitionsInTheirOrder() throws IOException {
    assertThat(ProtocolPage.read().transitions())
        .containsExactlyElementsOf(
            Arrays.stream(Transition.values()).map(Transition::label).toList());
  }

  @ParameterizedTest
  @EnumSource(Transition.class)
  void section_hasNoEmptyCell(Transition transition) throws IOException {
    ProtocolPage page = ProtocolPage.read();
    for (String row : ProtocolPage.ROWS) {
      assertThat(page.cell(transition, row)).as(row).isNotEmpty();
    }
  }

  @Test
  void sections_sayWhatDiesAtTheirCommits() throws IOException {
    ProtocolPage page = ProtocolPage.read();
    if (UPDATE) {
      for (Transition transition : Transition.values()) {
        page.updateCell(transition, "shown by", shownBy(transition));
      }
      page.write();
    }
    for (Transition transition : Transition.values()) {
      assertThat(page.cell(transition, "shown by")).isEqualTo(shownBy(transition));
    }
  }

  private static String shownBy(Transition transition) {
    Stream<String> operations =
        Operations.all().stream()
            .filter(operation -> operation.transition() == transition)
            .map(Operation::toString);
    Stream<String> scenes =
        Arrays.stream(Scene.values())
            .filter(scene -> scene.transition() == transition)
            .map(scene -> "process " + scene);
    return Stream.concat(operations, scenes).collect(Collectors.joining("; ", "`CrashIT`: ", ""));
  }

  @Test
  void sql_isWhatThisServerIsSent(QueueDatabase database) throws IOException {
    String server = database.isMariaDb() ? "MariaDB" : "MySQL";
    Map<Transition, String> sent = ProtocolSql.of(database);
    ProtocolPage page = ProtocolPage.read();
    if (UPDATE) {
      sent.forEach((transition, sql) -> page.update(transition, server, sql));
      page.write();
    }
    for (Transition transition : Transition.values()) {
      assertThat(page.sql(transition, server))
          .as(transition.label())
          .isEqualTo(sent.get(transition));
    }
  }
}
