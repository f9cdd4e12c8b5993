package io.rowqueue.testkit.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** What the launcher does with folders. */
final class Directories {

  private Directories() {}

  static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    }
  }

  static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  static String tail(Path file, int lines) throws IOException {
    if (!Files.exists(file)) {
      return "(none)";
    }
    List<String> all = Files.readAllLines(file);
    return String.join("\n", all.subList(Math.max(0, all.size() - lines), all.size()));
  }
}
