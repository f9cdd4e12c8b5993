package io.rowqueue.example.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Fills the code blocks of one document. The line before a block says where its code stands: {@code
 * <!-- snippet: name -->} in a region of a source, from {@code // snippet: name} to {@code // end
 * snippet}, or {@code <!-- file: path -->} in a whole file. A block of Java must say so.
 */
final class SnippetText {

  private static final Pattern BLOCK =
      Pattern.compile("(?m)^(<!-- (snippet|file): (\\S+) -->\n)?```([a-z]*)\n(.*\n)*?```$");
  private static final Pattern REGION =
      Pattern.compile("(?m)^ *// snippet: (\\S+)\n((?:.*\n)*?) *// end snippet$");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^):#]+)(?:#[^)]*)?\\)");

  private final Path root;
  private final String document;
  private final Map<String, String> regions;

  /** {@code regions} are those of {@link #regions}. */
  SnippetText(Path root, String document, Map<String, String> regions) {
    this.root = root;
    this.document = document;
    this.regions = regions;
  }

  /** {@code text} with the code of its sources in every block that names one. */
  String filled(String text) {
    Matcher block = BLOCK.matcher(text);
    return block.replaceAll(found -> Matcher.quoteReplacement(filled(block)));
  }

  /** What {@code text} links to in this repository. */
  static List<String> localLinks(String text) {
    return LINK.matcher(text).results().map(link -> link.group(1)).toList();
  }

  private String filled(Matcher block) {
    String mark = block.group(1);
    String language = block.group(4);
    if (mark == null) {
      if (language.equals("java")) {
        throw new AssertionError(
            "a block of Java in %s has no line <!-- snippet: name --> before it:%n%s"
                .formatted(document, block.group()));
      }
      return block.group();
    }
    String code = block.group(2).equals("file") ? file(block.group(3)) : region(block.group(3));
    return mark + "```" + language + "\n" + code + "```";
  }

  private String file(String path) {
    try {
      return Files.readString(root.resolve(path));
    } catch (IOException e) {
      throw new UncheckedIOException(document + " quotes a file that cannot be read", e);
    }
  }

  private String region(String name) {
    String code = regions.get(name);
    if (code == null) {
      throw new AssertionError(
          "%s quotes the region '%s', and no source has it; there are %s"
              .formatted(document, name, regions.keySet()));
    }
    return code;
  }

  /** The code of each region by its name. */
  static Map<String, String> regions(List<Path> sources) throws IOException {
    Map<String, String> regions = new LinkedHashMap<>();
    for (Path source : sources) {
      Matcher region = REGION.matcher(Files.readString(source));
      while (region.find()) {
        if (regions.put(region.group(1), region.group(2).stripTrailing().stripIndent() + "\n")
            != null) {
          throw new AssertionError("two regions are named " + region.group(1));
        }
      }
    }
    return regions;
  }

  /** Java and Kotlin of every module. */
  static List<Path> sources(Path root) throws IOException {
    List<Path> sources = new ArrayList<>();
    for (Path parent : Stream.of("", "integrations", "docs", "tests").map(root::resolve).toList()) {
      try (Stream<Path> modules = Files.list(parent)) {
        for (Path module :
            modules.filter(path -> Files.isDirectory(path.resolve("src"))).toList()) {
          try (Stream<Path> files = Files.walk(module.resolve("src"))) {
            sources.addAll(
                files.filter(path -> path.toString().matches(".*\\.(java|kt)")).toList());
          }
        }
      }
    }
    return sources;
  }
}
