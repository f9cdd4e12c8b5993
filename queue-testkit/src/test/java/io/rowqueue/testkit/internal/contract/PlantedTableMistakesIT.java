package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.QueueDatabase;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Each mistake that is planted in the tables is found by the contract of what it spoils. The rules
 * of the queue in memory are spoiled beside this, one by one.
 */
@Tag("ci")
@DisabledIfSystemProperty(
    named = "test.skip.pure",
    matches = "true",
    disabledReason = "that the contracts find them has been shown on the first server")
class PlantedTableMistakesIT {

  private static final Logger LOG = LoggerFactory.getLogger(PlantedTableMistakesIT.class);

  /** Of its own, since triggers stay where they are made. */
  private static final QueueDatabase DATABASE = QueueDatabase.create();

  @BeforeAll
  static void begin() {
    BrokenTables.use(DATABASE);
  }

  @AfterAll
  static void end() {
    DATABASE.close();
  }

  @ParameterizedTest
  @EnumSource(TableMistake.class)
  void contract_onTablesWithAMistake_findsIt(TableMistake mistake) {
    DATABASE.execute(mistake.plant());
    ContractRun run;
    try {
      run = ContractRun.of(cases(mistake.feature()));
    } finally {
      DATABASE.execute(TableMistake.mend());
    }
    LOG.info("{} is found by {}: {}", mistake, run.failed().size(), run.failed());
    assertThat(run.failed()).as("cases that find " + mistake).isNotEmpty();
    assertThat(run.succeeded()).as("cases that it does not touch").isPositive();
  }

  @Test
  void eachContract_thatIsSpoiledHere_hasAMistakeToFind() {
    Set<Feature> spoiled =
        Stream.of(TableMistake.values()).map(TableMistake::feature).collect(Collectors.toSet());
    assertThat(spoiled)
        .isEqualTo(
            Set.of(
                Feature.LIMITS,
                Feature.BATCHES,
                Feature.CHAINS,
                Feature.RESULTS,
                Feature.DEPTH,
                Feature.BODIES,
                Feature.FORMER_NAMES));
  }

  private static List<DiscoverySelector> cases(Feature feature) {
    return Stream.of(feature.contract().getDeclaredMethods())
        .filter(method -> method.isAnnotationPresent(Test.class))
        .map(Method::getName)
        .<DiscoverySelector>map(name -> DiscoverySelectors.selectMethod(BrokenTables.class, name))
        .toList();
  }
}
