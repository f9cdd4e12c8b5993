package io.rowqueue.testkit;

import java.sql.SQLException;
import java.util.Locale;
import org.jooq.tools.jdbc.MockDataProvider;
import org.jooq.tools.jdbc.MockExecuteContext;
import org.jooq.tools.jdbc.MockResult;
import org.jspecify.annotations.Nullable;

/**
 * Accepts the pipeline's savepoints; a handler's statements are answered by the test, or rejected.
 */
final class NoDatabase implements MockDataProvider {

  private final Stage stage;
  private final @Nullable MockDataProvider answers;

  NoDatabase(Stage stage, @Nullable MockDataProvider answers) {
    this.stage = stage;
    this.answers = answers;
  }

  @Override
  public MockResult[] execute(MockExecuteContext context) throws SQLException {
    String sql = context.sql();
    if (sql.toUpperCase(Locale.ROOT).contains("SAVEPOINT")) {
      return new MockResult[] {new MockResult(0)};
    }
    if (answers != null) {
      return answers.execute(context);
    }
    stage.recording().sent(sql);
    throw new SQLException("this test has no database: " + sql);
  }
}
