package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holds the code in the documents to sources that are compiled and run. {@code
 * -Drowqueue.docs.update=true} writes the sources' code into the documents instead.
 */
class DocumentsTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final boolean UPDATE = Boolean.getBoolean("rowqueue.docs.update");

  /** A class of tests, and perhaps one of its methods; {@code QueueTest} is the annotation. */
  private static final Pattern NAMED_TEST =
      Pattern.compile("`(?!QueueTest)([A-Z][a-z]\\w*(?:IT|Test))(?:\\.(\\w+))?`");

  private static Map<String, Path> tests;
  private static Map<String, String> regions;

  @BeforeAll
  static void readSources() throws IOException {
    List<Path> sources = SnippetText.sources(ROOT);
    regions = SnippetText.regions(sources);
    tests =
        sources.stream()
            .filter(path -> path.toString().matches(".*/src/test/java/.*(IT|Test)\\.java"))
            .collect(Collectors.toMap(DocumentsTest::className, path -> path));
  }

  private static List<Path> documents() throws IOException {
    Path outside = ROOT.resolve("docs/outside-project");
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(
              Stream.of(
                      "README.md",
                      "CONTRIBUTING.md",
                      "queue-handlers-example/README.md",
                      "tests/queue-proof/README.md")
                  .map(ROOT::resolve),
              docs.filter(path -> path.toString().endsWith(".md") && !path.startsWith(outside))
                  .sorted())
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void code_ofADocument_isThatOfItsSource(Path document) throws IOException {
    String text = Files.readString(document);
    String expected =
        new SnippetText(ROOT, document.getFileName().toString(), regions).filled(text);
    if (UPDATE) {
      Files.writeString(document, expected);
      return;
    }
    assertThat(text)
        .as(
            "%s differs from the sources that it quotes; mvn -pl queue-handlers-example -am"
                + " test -Dtest=DocumentsTest -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Drowqueue.docs.update=true copies them into it",
            document.getFileName())
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @MethodSource("documents")
  void links_ofADocument_leadToFiles(Path document) throws IOException {
    for (String target : SnippetText.localLinks(Files.readString(document))) {
      if (!Files.exists(document.resolveSibling(target))) {
        fail("%s names the file %s, which does not exist", document.getFileName(), target);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void tests_thatADocumentNames_exist(Path document) throws IOException {
    for (MatchResult named : NAMED_TEST.matcher(Files.readString(document)).results().toList()) {
      Path test = tests.get(named.group(1));
      assertThat(test).as("the test %s", named.group(1)).isNotNull();
      if (named.group(2) != null) {
        assertThat(Files.readString(test)).contains(" " + named.group(2) + "(");
      }
    }
  }

  private static String className(Path source) {
    return source.getFileName().toString().replace(".java", "");
  }

  @Test
  void documents_whereTheyAreSearched_areFound() throws IOException {
    assertThat(documents())
        .contains(ROOT.resolve("docs/start/concepts.md"), ROOT.resolve("docs/guides/testing.md"))
        .hasSizeGreaterThan(40);
  }
}
