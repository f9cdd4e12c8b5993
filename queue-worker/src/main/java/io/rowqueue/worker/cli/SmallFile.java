package io.rowqueue.worker.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;

/** A file that a person writes: text, and never large. */
final class SmallFile {

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

  /** Whether every user of the host can read it; false where files have no such modes. */
  static boolean isReadByAll(Path file) {
    try {
      return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ);
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  /** It is no such file. */
  static final class TooLarge extends IOException {

    private static final long serialVersionUID = 1L;
  }
}
