package io.rowqueue.tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.tests.process.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds names, messages and pages to the field's terms: a reader who knows SQS, Sidekiq or Spring
 * must be able to search for what he reads.
 */
class WordsTest {

  private static final List<String> MODULES =
      List.of("queue-core", "queue-worker", "queue-testkit", "queue-handlers-example");

  /** In names of the code, as parts of a name: the word, and what stands in its place. */
  private static final Pattern NAMES =
      Pattern.compile(
          "(?<![A-Za-z])(ring|rung|wish|wished|overfull|heed|reckon|beside|whoever|nobody|somebody|lookout|leaf|mute|unmute)"
              + "(?![a-z])|(?<=[a-z0-9_])(Ring|Rung|Wish|Wished|Overfull|Heed|Reckon|Beside|Whoever|Nobody|Somebody|Lookout|Leaf)"
              + "(?![a-z])");

  private static final Set<String> NAMES_ALLOWED = Set.of("KeyRing", "keyRing");

  /** The testkit's contracts are tests: their names are sentences. */
  private static final Pattern TEST_METHOD = Pattern.compile("[a-z]\\w*_\\w*");

  private static final Pattern TEXTS =
      Pattern.compile(
          "\\b(set aside|sets aside|wish(?:es|ed)?|heeds?|heeded|reckon\\w*|whoever|overfull|"
              + "meanwhile|as ever|for want of|by the clock|gives? back|given back|hands? back|"
              + "lets? go|mended|waits? in line|in line behind)\\b",
          Pattern.CASE_INSENSITIVE);

  private static final Pattern TOKEN =
      Pattern.compile(
          "/\\*.*?\\*/|//[^\\n"
              + "]*|\"\"\"(?:\\\\.|[^\\\\])*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n"
              + "])*\"|'(?:\\\\.|[^'\\\\\\n"
              + "])+'",
          Pattern.DOTALL);

  @Test
  void names_ofTheCode_areTheFieldsTerms() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path source : sources(".java")) {
      String code = TOKEN.matcher(Files.readString(source)).replaceAll("");
      for (Matcher name = Pattern.compile("\\w+").matcher(code); name.find(); ) {
        if (NAMES.matcher(name.group()).find()
            && !TEST_METHOD.matcher(name.group()).matches()
            && !NAMES_ALLOWED.contains(name.group())) {
          found.add(source.getFileName() + ": " + name.group());
        }
      }
    }
    assertThat(found.stream().distinct()).isEmpty();
  }

  @Test
  void messages_ofTheCode_areTheFieldsTerms() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path source : sources(".java")) {
      for (Matcher token = TOKEN.matcher(Files.readString(source)); token.find(); ) {
        if (token.group().startsWith("\"")) {
          note(source, token.group(), found);
        }
      }
    }
    for (Path template : sources(".mustache")) {
      note(template, Files.readString(template), found);
    }
    assertThat(found).isEmpty();
  }

  @Test
  void pages_areTheFieldsTerms() throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> pages = Files.walk(Checkout.home().resolve("docs"))) {
      for (Path page : pages.filter(path -> path.toString().endsWith(".md")).toList()) {
        note(page, Files.readString(page), found);
      }
    }
    note(
        Checkout.home().resolve("README.md"),
        Files.readString(Checkout.home().resolve("README.md")),
        found);
    assertThat(found).isEmpty();
  }

  private static void note(Path file, String text, List<String> found) {
    for (Matcher word = TEXTS.matcher(text); word.find(); ) {
      found.add(
          "%s: %s … %s"
              .formatted(
                  file.getFileName(),
                  word.group(),
                  text.substring(
                      Math.max(0, word.start() - 40), Math.min(text.length(), word.end() + 40))));
    }
  }

  private static List<Path> sources(String ending) throws IOException {
    List<Path> sources = new ArrayList<>();
    for (String module : MODULES) {
      try (Stream<Path> files = Files.walk(Checkout.home().resolve(module).resolve("src/main"))) {
        files.filter(path -> path.toString().endsWith(ending)).forEach(sources::add);
      }
    }
    assertThat(sources).isNotEmpty();
    return sources;
  }
}
