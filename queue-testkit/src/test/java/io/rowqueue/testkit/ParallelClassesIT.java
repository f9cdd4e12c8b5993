package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Goal: neither classes nor methods that run in parallel disturb each other, and no schema stays.
 * Method: JUnit inside JUnit, everything parallel.
 */
@Isolated("the schemas that its classes leave must be the next ones that are taken")
class ParallelClassesIT {

  private static final Set<String> SCHEMAS = ConcurrentHashMap.newKeySet();

  @Test
  void classesAndMethods_inParallel_keepTheirMessagesAndLeaveEmptySchemas() {
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
    QueueDatabase left = Schemas.take();
    assertThat(SCHEMAS).contains(left.name());
    assertThat(left.queue()).isEmpty();
    Schemas.release(left);
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
