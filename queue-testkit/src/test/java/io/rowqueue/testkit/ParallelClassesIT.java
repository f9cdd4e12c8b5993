package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.rowqueue.testkit.server.TestServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Goal: neither classes nor methods that run in parallel disturb each other, and no schema stays.
 * Method: JUnit inside JUnit, everything parallel.
 */
class ParallelClassesIT {

  private static final Set<String> SCHEMAS = ConcurrentHashMap.newKeySet();

  @Test
  void classesAndMethods_inParallel_keepTheirMessagesAndAreDroppedAtTheEnd() throws SQLException {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(selectClass(First.class), selectClass(Second.class))
            .configurationParameter("junit.jupiter.execution.parallel.enabled", "true")
            .configurationParameter("junit.jupiter.execution.parallel.mode.default", "concurrent")
            .configurationParameter("junit.jupiter.execution.parallel.config.strategy", "fixed")
            .configurationParameter(
                "junit.jupiter.execution.parallel.config.fixed.parallelism", "8")
            .build();
    SummaryGeneratingListener summary = new SummaryGeneratingListener();

    LauncherFactory.create().execute(request, summary);

    assertThat(summary.getSummary().getFailures()).isEmpty();
    assertThat(summary.getSummary().getTestsSucceededCount()).isEqualTo(20);
    assertThat(SCHEMAS).hasSize(2);
    for (String schema : SCHEMAS) {
      assertThat(exists(schema)).describedAs(schema).isFalse();
    }
  }

  private static boolean exists(String schema) throws SQLException {
    try (Connection connection = DriverManager.getConnection(TestServer.shared().url());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SHOW DATABASES LIKE '" + schema + "'")) {
      return rows.next();
    }
  }

  private static void enqueueAlone(QueueDatabase database, AtomicInteger inside) {
    SCHEMAS.add(database.name());
    assertThat(inside.incrementAndGet()).isEqualTo(1);
    for (int i = 1; i <= 10; i++) {
      database.execute("INSERT INTO queue_message (topic, payload) VALUES ('plain', '{}')");
      assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(i);
    }
    inside.decrementAndGet();
  }

  @QueueTest
  static class First {

    private static final AtomicInteger INSIDE = new AtomicInteger();

    @RepeatedTest(10)
    void method_inParallel_isAlone(QueueDatabase database) {
      enqueueAlone(database, INSIDE);
    }
  }

  @QueueTest
  static class Second {

    private static final AtomicInteger INSIDE = new AtomicInteger();

    @RepeatedTest(10)
    void method_inParallel_isAlone(QueueDatabase database) {
      enqueueAlone(database, INSIDE);
    }
  }
}
