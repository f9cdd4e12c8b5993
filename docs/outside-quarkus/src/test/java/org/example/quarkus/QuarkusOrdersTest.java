package org.example.quarkus;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.quarkus.narayana.jta.QuarkusTransaction;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.QuarkusTestResourceLifecycleManager;
import io.quarkus.test.junit.QuarkusTest;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(QuarkusOrdersTest.Database.class)
class QuarkusOrdersTest {

  @Inject Orders orders;
  @Inject DataSource dataSource;

  /** Starts before Quarkus. */
  public static class Database implements QuarkusTestResourceLifecycleManager {

    private QueueDatabase database;

    @Override
    public Map<String, String> start() {
      database = QueueDatabase.create();
      database.execute("CREATE TABLE paper (text VARCHAR(100) PRIMARY KEY)");
      return Map.of("quarkus.datasource.jdbc.url", database.url());
    }

    @Override
    public void stop() {
      database.close();
    }
  }

  @Test
  void order_commitsOrRollsBackWithItsMessage() throws SQLException {
    QuarkusTransaction.begin();
    orders.place("order 1");
    QuarkusTransaction.rollback();
    orders.place("order 2");
    Await.that("an invoice", Duration.ofSeconds(20), () -> read("SELECT text FROM paper").size() == 2);
    Await.that("no message", Duration.ofSeconds(20), () -> read("SELECT id FROM queue_message").isEmpty());
    assertEquals(
        List.of("invoice of order 2", "order 2"), read("SELECT text FROM paper ORDER BY text"));
  }

  private List<String> read(String query) {
    List<String> rows = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      while (result.next()) {
        rows.add(result.getString(1));
      }
      return rows;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
