package io.rowqueue.proof.fault;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A wall clock for one process, that can be wrong and can jump, by the library of Debian's package
 * {@code libfaketime}. The monotonic clock stays as it is.
 */
final class FakeClock {

  private static final Path LIBRARIES = Path.of("/usr/lib");
  private static final String LIBRARY = "faketime/libfaketime.so.1";

  private final Path file;

  private FakeClock(Path file) {
    this.file = file;
  }

  /** Whether this host has the library. */
  static boolean isThere() {
    return library().isPresent();
  }

  /** One that is right, until it is set; {@code file} is where its process reads it from. */
  static FakeClock at(Path file) throws IOException {
    FakeClock clock = new FakeClock(file);
    clock.set(Duration.ZERO);
    return clock;
  }

  /** Puts it ahead of the host's, or behind. */
  void set(Duration ahead) throws IOException {
    Path next = file.resolveSibling(file.getFileName() + ".next");
    Files.writeString(next, "%+d".formatted(ahead.toSeconds()));
    // At no time may its process read half of it.
    Files.move(next, file, java.nio.file.StandardCopyOption.ATOMIC_MOVE);
  }

  /** What its process needs in its environment. */
  Map<String, String> environment() {
    return Map.of(
        "LD_PRELOAD",
        library().orElseThrow().toString(),
        "FAKETIME_TIMESTAMP_FILE",
        file.toString(),
        "FAKETIME_CACHE_DURATION",
        "1",
        "FAKETIME_DONT_FAKE_MONOTONIC",
        "1",
        // With it, every timed wait of a JVM ends at once.
        "FAKETIME_FORCE_MONOTONIC_FIX",
        "0");
  }

  private static Optional<Path> library() {
    try (Stream<Path> folders = Files.list(LIBRARIES)) {
      return folders.map(folder -> folder.resolve(LIBRARY)).filter(Files::exists).findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
