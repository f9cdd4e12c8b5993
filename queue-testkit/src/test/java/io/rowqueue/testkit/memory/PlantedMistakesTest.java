package io.rowqueue.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Each mistake that is planted in a queue is found by the contract. */
class PlantedMistakesTest {

  private static final Logger LOG = LoggerFactory.getLogger(PlantedMistakesTest.class);

  @AfterEach
  void mend() {
    BrokenQueue.plant(new Rules());
  }

  @Test
  void contract_onAQueueWithoutMistake_isGreen() {
    TestExecutionSummary summary = run();
    assertThat(names(summary)).isEmpty();
    assertThat(summary.getTestsSucceededCount()).isGreaterThan(100);
  }

  @ParameterizedTest
  @EnumSource(PlantedMistake.class)
  void contract_onAQueueWithAMistake_findsIt(PlantedMistake mistake) {
    BrokenQueue.plant(mistake.rules());
    List<String> found = names(run());
    LOG.info("{} is found by {}: {}", mistake, found.size(), found);
    assertThat(found).as("cases that find " + mistake).isNotEmpty();
  }

  private static TestExecutionSummary run() {
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClass(BrokenQueue.class))
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    Launcher launcher = LauncherFactory.create();
    launcher.execute(request, listener);
    return listener.getSummary();
  }

  private static List<String> names(TestExecutionSummary summary) {
    return summary.getFailures().stream()
        .map(failure -> failure.getTestIdentifier().getDisplayName())
        .sorted()
        .toList();
  }
}
