package io.rowqueue.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.contract.ContractRun;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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
    ContractRun run = run();
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

  private static ContractRun run() {
    return ContractRun.of(List.of(DiscoverySelectors.selectClass(BrokenQueue.class)));
  }
}
