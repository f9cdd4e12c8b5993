package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.internal.cli.CommandIo.Secrets;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.function.Function;
import java.util.function.Supplier;

/** A file that a person writes: text, and never large. */
final class SmallFile {

  private static final int MOST_OF_A_SECRET = 1 << 16;

  private SmallFile() {}

  /**
   * The text of {@code file}.
   *
   * @param longest the most bytes it may have; a device has no size, so just as many are read
   * @throws TooLarge if it has more
   * @throws IOException if it cannot be read, or is not UTF-8
   */
  static String text(Path file, int longest) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(longest + 1);
      if (bytes.length > longest) {
        throw new TooLarge();
      }
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    }
  }

  /**
   * What {@code content} makes of {@code file} each time that it is asked for: secrets are changed
   * while a worker runs. Read once now, so that a mistake is known at the start.
   *
   * @param content throws IllegalArgumentException if the text is none
   */
  static <T> Supplier<T> secret(Path file, Function<String, T> content) {
    Supplier<T> reading =
        () -> {
          try {
            return content.apply(text(file, MOST_OF_A_SECRET));
          } catch (TooLarge e) {
            throw new UncheckedIOException(
                "the file %s has more than %,d bytes; it is not a file with a secret"
                    .formatted(file, MOST_OF_A_SECRET),
                e);
          } catch (IOException e) {
            throw new UncheckedIOException(
                "the file %s cannot be read; check its path and its mode".formatted(file), e);
          }
        };
    return CommandFailure.usage(
        () -> {
          T first = reading.get();
          // A pipe can be read once.
          return Files.isRegularFile(file) ? reading : () -> first;
        });
  }

  /** Reads the password in the first line of {@code file}; {@code secrets} remembers it. */
  static Supplier<String> password(Path file, Secrets secrets) {
    return secret(file, text -> secrets.added(text.lines().findFirst().orElse("")));
  }

  /** Whether every user of the host can read it; false where files have no such modes. */
  static boolean isReadByAll(Path file) {
    try {
      return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /** It is no such file. */
  static final class TooLarge extends IOException {}
}
