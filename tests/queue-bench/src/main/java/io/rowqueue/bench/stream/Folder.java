package io.rowqueue.bench.stream;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A temporary folder for payloads; nothing is left of it in the end. */
record Folder(Path path) implements AutoCloseable {

  /** A new one. */
  static Folder create() throws IOException {
    return new Folder(Files.createTempDirectory("rowqueue-streams"));
  }

  /** Takes every payload out; the folder's own files stay. */
  void clean() throws IOException {
    try (Stream<Path> all = Files.list(path)) {
      for (Path each : all.filter(Files::isDirectory).toList()) {
        delete(each);
      }
    }
  }

  private static void delete(Path top) throws IOException {
    List<Path> all;
    try (Stream<Path> walk = Files.walk(top)) {
      all = walk.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path each : all) {
      Files.delete(each);
    }
  }

  @Override
  public void close() {
    try {
      delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
