package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.tests.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds {@code reported-faults.tsv} to tests that exist: what users of other queues, drivers and
 * servers reported, by kind, and what RowQueue does. A fault without a test was judged by reading;
 * what was tried later, by running it.
 */
class ReportedFaultsTest {

  private static final int KINDS = 16;
  private static final String TESTS = ".*(IT|Test|Contract)\\.java";
  private static final String NAME = "/io/rowqueue/proof/fault/reported-faults.tsv";

  private static List<String[]> rows() throws IOException {
    return Files.readAllLines(
            Checkout.home().resolve("tests/queue-proof/src/test/resources" + NAME))
        .stream()
        .skip(1)
        .map(line -> line.split("\t", -1))
        .toList();
  }

  @Test
  void tests_ofTheTable_exist() throws IOException {
    Map<String, String> sources = sources();
    List<String> missing = new ArrayList<>();
    for (String[] row : rows()) {
      assertThat(row).as(row[1]).hasSize(4).doesNotContain("  ");
      for (String test : row[3].isEmpty() ? new String[0] : row[3].split(", ")) {
        int end = test.indexOf('#');
        String source = sources.getOrDefault(test.substring(0, end), "");
        if (!source.contains(" " + test.substring(end + 1) + "(")) {
          missing.add(test);
        }
      }
    }
    assertThat(missing).isEmpty();
  }

  @Test
  void kinds_areAllThere() throws IOException {
    assertThat(rows().stream().filter(row -> row[1].startsWith("all of this kind"))).hasSize(KINDS);
    assertThat(rows().stream().map(row -> row[0]).distinct()).hasSize(KINDS);
  }

  /** By the simple name of the class. */
  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new TreeMap<>();
    for (String parent : List.of("", "integrations", "tests")) {
      for (Path module : list(Checkout.home().resolve(parent))) {
        try (Stream<Path> files = Files.walk(module.resolve("src"))) {
          for (Path file : files.filter(path -> path.toString().matches(TESTS)).toList()) {
            sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
          }
        }
      }
    }
    return sources;
  }

  private static List<Path> list(Path parent) throws IOException {
    try (Stream<Path> modules = Files.list(parent)) {
      return modules.filter(module -> Files.isDirectory(module.resolve("src"))).toList();
    }
  }
}
