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
 * The name of a folder of external payloads, in a file that is created before the first payload.
 * References begin with the name, so that an empty mount point, or another folder, is not mistaken
 * for a folder whose files were deleted. Thread-safe, also between processes.
 */
public final class FolderName {

  /** The pattern of a name. */
  public static final String FORM = "[0-9a-f]{8}";

  private static final Pattern NAME = Pattern.compile(FORM);
  private static final String FILE = "rowqueue-folder";

  private final Path folder;
  private final Path file;

  /** Cached without expiry, because a folder's name never changes. */
  private volatile @Nullable String known;

  public FolderName(Path folder) {
    this.folder = folder;
    this.file = folder.resolve(FILE);
  }

  /**
   * Checks that the folder's name is {@code name}.
   *
   * @throws IOException if it has another name or none, or does not exist
   */
  public void check(String name) throws IOException {
    // Read each time: the folder may have been unmounted.
    String its = read();
    if (its == null) {
      throw new IOException(
          "%s is missing or empty, and should be the folder %s; is it mounted?"
              .formatted(folder, name));
    }
    if (!its.equals(name)) {
      throw new IOException(
          "%s is the folder %s, but the payload is in the folder %s; is the right one mounted?"
              .formatted(folder, its, name));
    }
  }

  /** Reads the name; null if the folder has none yet, or does not exist. */
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
   * Reads the name, and gives the folder one if it has none.
   *
   * @throws IOException if it had another name before, because another folder is mounted now
   */
  public String readOrGive() throws IOException {
    String name = read();
    String before = known;
    if (before != null) {
      if (!before.equals(name)) {
        throw new IOException(
            "%s no longer is the folder %s; is it mounted?".formatted(folder, before));
      }
      return before;
    }
    String now = name == null ? give() : name;
    known = now;
    return now;
  }

  /**
   * If several processes give a name concurrently, all of them use the first: a link never replaces
   * an existing file.
   */
  private String give() throws IOException {
    String uuid = UUID.randomUUID().toString();
    Path own = folder.resolve(FILE + "-" + uuid);
    try {
      Files.writeString(
          own, uuid.substring(0, 8), StandardOpenOption.CREATE_NEW, StandardOpenOption.SYNC);
      Files.createLink(file, own);
    } catch (FileAlreadyExistsException e) {
      // Another process was first.
    } catch (UnsupportedOperationException e) {
      throw new IOException(folder + " does not support hard links; use another file system", e);
    } finally {
      Files.deleteIfExists(own);
    }
    String given = read();
    if (given == null) {
      throw new NoSuchFileException(file.toString(), null, "deleted after it was created");
    }
    return given;
  }
}
