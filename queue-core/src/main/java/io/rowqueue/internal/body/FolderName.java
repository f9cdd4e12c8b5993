package io.rowqueue.internal.body;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name that a folder of bodies was given with its first body, in a file of it. References begin
 * with it, so that an empty mount point, or another folder, is not taken for one whose files are
 * gone. Thread-safe, also between processes.
 */
public final class FolderName {

  /** What a folder may be called. */
  public static final String FORM = "[0-9a-f]{8}";

  private static final Pattern NAME = Pattern.compile(FORM);
  private static final String FILE = "rowqueue-folder";

  private final Path folder;
  private final Path file;

  /** Names do not change. */
  private volatile @Nullable String known;

  public FolderName(Path folder) {
    this.folder = folder;
    this.file = folder.resolve(FILE);
  }

  /**
   * Checks that it is the folder {@code name}.
   *
   * @throws IOException if it is another one, has no name, or is not there
   */
  public void check(String name) throws IOException {
    // Read each time: the mount may have gone since.
    String its = read();
    if (its == null) {
      throw new IOException(
          "%s is not there, or empty, and should be the folder %s; is it mounted?"
              .formatted(folder, name));
    }
    if (!its.equals(name)) {
      throw new IOException(
          "%s is the folder %s, and the body lies in the folder %s; is the right one mounted?"
              .formatted(folder, its, name));
    }
  }

  /** Its name; null if it has none yet, or is not there. */
  public @Nullable String read() throws IOException {
    String name;
    try {
      name = Files.readString(file);
    } catch (NoSuchFileException e) {
      return null;
    }
    if (!NAME.matcher(name).matches()) {
      throw new IOException(file + " does not hold a folder's name; restore it from a backup");
    }
    return name;
  }

  /**
   * Its name, which it is given if it has none.
   *
   * @throws IOException if it had another one before: somebody has mounted another folder
   */
  public String readOrGive() throws IOException {
    String name = read();
    String before = known;
    if (before != null) {
      if (!before.equals(name)) {
        throw new IOException(
            "%s was the folder %s, and is not any more; is it mounted?".formatted(folder, before));
      }
      return before;
    }
    String now = name == null ? give() : name;
    known = now;
    return now;
  }

  /**
   * Of several that give one at the same time, the first is heeded by all: a link replaces none.
   */
  private String give() throws IOException {
    String uuid = UUID.randomUUID().toString();
    Path own = folder.resolve(FILE + "-" + uuid);
    try {
      Files.writeString(
          own, uuid.substring(0, 8), StandardOpenOption.CREATE_NEW, StandardOpenOption.SYNC);
      Files.createLink(file, own);
    } catch (FileAlreadyExistsException e) {
      // Somebody else was first.
    } catch (UnsupportedOperationException e) {
      throw new IOException(folder + " knows no hard links; take another file system", e);
    } finally {
      Files.deleteIfExists(own);
    }
    String given = read();
    if (given == null) {
      throw new NoSuchFileException(file.toString(), null, "it was there a moment ago");
    }
    return given;
  }
}
