package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.internal.cli.CommandIo.Secrets;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
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
   * The text of {@code file}, without a byte order mark.
   *
   * @param longest the most bytes it may have; a device has no size, so just as many are read
   * @throws TooLarge if it has more
   * @throws NotUtf8 if it is another encoding; the message names it
   * @throws IOException if it cannot be read
   */
  static String text(Path file, int longest) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(longest + 1);
      if (bytes.length > longest) {
        throw new TooLarge();
      }
      return decoded(bytes);
    }
  }

  private static String decoded(byte[] bytes) throws NotUtf8 {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      return text.startsWith("\uFEFF") ? text.substring(1) : text;
    } catch (CharacterCodingException e) {
      int mark = bytes.length < 2 ? 0 : ((bytes[0] & 0xFF) << 8) | (bytes[1] & 0xFF);
      throw new NotUtf8(mark == 0xFEFF || mark == 0xFFFE);
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
          } catch (NotUtf8 e) {
            throw new UncheckedIOException("the file %s %s".formatted(file, e.getMessage()), e);
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

  /** It is text in another encoding. */
  static final class NotUtf8 extends IOException {

    NotUtf8(boolean isUtf16) {
      super(isUtf16 ? "is in UTF-16; save it in UTF-8" : "is not in UTF-8");
    }
  }
}
