package io.rowqueue.proof.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.spec.Tlc.Cause;
import io.rowqueue.proof.spec.Tlc.Configuration;
import io.rowqueue.proof.spec.Tlc.Mutant;
import io.rowqueue.tests.SideBySide;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Checks {@code RowQueue.tla} and {@code LivenessLock.tla}: as they are, every property holds in
 * every state; without any one of their rules a property breaks. {@code -Drowqueue.spec.large=true}
 * checks a larger model, too, for minutes.
 */
class SpecificationTest {

  private static final Path SPECIFICATION = Path.of("src", "test", "tla").toAbsolutePath();
  private static final Path EVIDENCE = Path.of("target", "tla").toAbsolutePath();

  private static final Path PAGE = Path.of("..", "..", "docs", "internals", "specification.md");

  private static List<String> configurations() {
    List<String> all =
        new ArrayList<>(
            List.of("RowQueue", "RowQueueTwoMessages", "RowQueueLiveness", "LivenessLock"));
    if (Boolean.getBoolean("rowqueue.spec.large")) {
      all.add("RowQueueThreeFaults");
    }
    return all;
  }

  @TestFactory
  Stream<DynamicTest> specification_asItIs_holdsInEveryState() {
    return SideBySide.tests(configurations(), SpecificationTest::assertHolds);
  }

  private static void assertHolds(String configuration) throws Exception {
    String module = configuration.startsWith("RowQueue") ? "RowQueue" : configuration;
    Cause sample = check(module, read(configuration), configuration);
    System.out.println(configuration + " holds: " + sample.summary());
    assertThat(sample.holds()).as("%s", sample.trace()).isTrue();
    assertThat(sample.distinctStates())
        .as(
            "what docs/internals/specification.md says; a search that ends early would hold"
                + " everything")
        .isEqualTo(statesOnThePage(configuration));
  }

  private static long statesOnThePage(String configuration) throws Exception {
    Matcher row =
        Pattern.compile("\\| `" + configuration + "\\.cfg` \\|.*\\| ([\\d,]+) \\|")
            .matcher(Files.readString(PAGE));
    assertThat(row.find()).isTrue();
    return Long.parseLong(row.group(1).replace(",", ""));
  }

  @TestFactory
  Stream<DynamicTest> specification_withoutOneOfItsRules_breaks() {
    return SideBySide.tests(List.of(Mutant.values()), SpecificationTest::assertBreaks);
  }

  private static void assertBreaks(Mutant mutant) throws Exception {
    Configuration changed = read(mutant.configuration()).with(mutant.constants());
    Cause sample =
        check(
            mutant.module(),
            mutant.liveness() ? changed : changed.onlyChecking(mutant.broken()),
            mutant.name());
    System.out.println(mutant + " breaks " + mutant.broken() + ": " + sample.summary());
    assertThat(sample.breaks(mutant.broken(), mutant.liveness()))
        .as("%s must break %s, and did not: %s", mutant, mutant.broken(), sample.trace())
        .isTrue();
  }

  @Test
  void everyRule_ofTheSpecification_isSwitchedOffByAMutant() throws Exception {
    Set<String> switches = new TreeSet<>();
    for (String module : List.of("RowQueue", "LivenessLock")) {
      read(module).switches().forEach(one -> switches.add(module + "." + one));
    }
    Set<String> mutated =
        Arrays.stream(Mutant.values())
            .flatMap(
                mutant ->
                    mutant.constants().entrySet().stream()
                        .filter(constant -> constant.getValue().equals("FALSE"))
                        .map(constant -> mutant.module() + "." + constant.getKey()))
            .collect(Collectors.toSet());
    assertThat(mutated).containsExactlyInAnyOrderElementsOf(switches);
  }

  private static Configuration read(String name) throws Exception {
    return Configuration.of(SPECIFICATION.resolve(name + ".cfg"));
  }

  private static Cause check(String module, Configuration configuration, String name)
      throws Exception {
    return Tlc.check(SPECIFICATION, module, configuration, EVIDENCE.resolve(name));
  }
}
