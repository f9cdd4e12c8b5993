package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What the next class gets of what a class leaves. */
@Isolated("the schema that it gives back must be the next one that is taken")
class SchemasIT {

  private static final String INSERT =
      "INSERT INTO queue_message (topic, payload) VALUES ('t', '1')";

  @Test
  void schema_thatWasOnlyUsed_servesTheNextClassEmptyAndWithIdsFromOne() {
    QueueDatabase first = Schemas.take();
    first.execute(INSERT, "CREATE TABLE teams (id INT)", "INSERT INTO teams VALUES (1)");
    Schemas.release(first);
    QueueDatabase next = Schemas.take();
    try {
      assertThat(next).isSameAs(first);
      assertThat(next.count("SELECT COUNT(*) FROM queue_message")).isZero();
      assertThat(next.strings("SHOW TABLES LIKE 'teams'")).isEmpty();
      next.execute(INSERT);
      assertThat(next.count("SELECT id FROM queue_message")).isEqualTo(1);
    } finally {
      Schemas.release(next);
    }
  }

  /** As the server lists one that was closed just now. */
  @Test
  void schema_whoseLastConnectionGoesAMomentLater_servesTheNextClass() throws Exception {
    QueueDatabase first = Schemas.take();
    try (Connection last = first.connect()) {
      CompletableFuture<Void> gone =
          CompletableFuture.runAsync(
              () -> close(last), CompletableFuture.delayedExecutor(300, TimeUnit.MILLISECONDS));
      Schemas.release(first);
      gone.join();
    }
    QueueDatabase next = Schemas.take();
    assertThat(next).isSameAs(first);
    Schemas.release(next);
  }

  private static void close(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException("the connection cannot be closed", e);
    }
  }

  @Test
  void schema_thatWasChangedOrIsInUse_servesNobodyElse() throws SQLException {
    QueueDatabase changed = Schemas.take();
    changed.execute("ALTER TABLE queue_message ADD COLUMN teams INT");
    Schemas.release(changed);
    QueueDatabase used = Schemas.take();
    assertThat(used).isNotSameAs(changed);
    try (Connection left = used.connect()) {
      assertThat(left.isValid(1)).isTrue();
      Schemas.release(used);
      assertThat(left.isValid(1)).isTrue();
    }
    assertThatThrownBy(used::connect).as("it is dropped").isInstanceOf(TestServerException.class);
  }
}
