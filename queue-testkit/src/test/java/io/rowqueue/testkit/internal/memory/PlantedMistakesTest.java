package io.rowqueue.testkit.internal.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.internal.contract.ContractRun;
import io.rowqueue.testkit.internal.contract.Feature;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
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
    ContractRun run = ContractRun.of(List.of(DiscoverySelectors.selectClass(BrokenFeatures.class)));
    assertThat(run.failed()).isEmpty();
    assertThat(run.succeeded()).isGreaterThan(200);
  }

  @ParameterizedTest
  @EnumSource(PlantedMistake.class)
  void contract_onAQueueWithAMistake_findsIt(PlantedMistake mistake) {
    BrokenQueue.plant(mistake.rules());
    List<String> found = run().failed();
    LOG.info("{} is found by {}: {}", mistake, found.size(), found);
    assertThat(found).as("cases that find " + mistake).isNotEmpty();
  }

  @ParameterizedTest
  @EnumSource(PlantedFeatureMistake.class)
  void contractOfAFeature_onAQueueWithAMistake_findsIt(PlantedFeatureMistake mistake) {
    BrokenQueue.plant(mistake.rules());
    ContractRun run = ContractRun.of(cases(mistake.feature()));
    LOG.info("{} is found by {}: {}", mistake, run.failed().size(), run.failed());
    assertThat(run.failed()).as("cases that find " + mistake).isNotEmpty();
    assertThat(run.succeeded()).as("cases that it does not touch").isPositive();
  }

  private static List<DiscoverySelector> cases(Feature feature) {
    return Stream.of(feature.contract().getDeclaredMethods())
        .filter(method -> method.isAnnotationPresent(Test.class))
        .<DiscoverySelector>map(
            method -> DiscoverySelectors.selectMethod(BrokenFeatures.class, method.getName()))
        .toList();
  }

  private static ContractRun run() {
    return ContractRun.of(List.of(DiscoverySelectors.selectClass(BrokenQueue.class)));
  }
}
