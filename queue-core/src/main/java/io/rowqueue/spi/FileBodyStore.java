package io.rowqueue.spi;

import io.rowqueue.internal.body.FolderName;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Payloads as files in a directory that all producers and workers share, such as a mount: {@code
 * <day>/<two hex digits>/<uuid>}. The first payload gives the directory a name, with which
 * references begin; a process that finds another directory, or none, in its place waits for the
 * right one. Thread-safe, also between processes.
 *
 * <p>A payload is written under another name, forced to the disk and renamed, so that a file under
 * a reference's name is complete.
 */
public final class FileBodyStore implements BodyStore {

  private static final String FILE =
      "\\d{4}-\\d{2}-\\d{2}/[0-9a-f]{2}/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}";

  private static final Pattern IS_FILE = Pattern.compile(FILE);

  /** Rows may be forged, and a reference must not lead out of the directory. */
  private static final Pattern REFERENCE =
      Pattern.compile("(?<folder>" + FolderName.FORM + ")/(?<file>" + FILE + ")");

  private static final String UNFINISHED = ".part";
  private static final int DEPTH = 3;

  private final Path folder;
  private final FolderName name;
  private final InstantSource clock;

  private FileBodyStore(Path folder, InstantSource clock) {
    this.folder = folder;
    this.name = new FolderName(folder);
    this.clock = clock;
  }

  /**
   * In {@code folder}, which must exist: an unmounted directory must not be mistaken for an empty
   * one.
   *
   * @throws IllegalArgumentException if it is not a directory
   */
  public static FileBodyStore in(Path folder) {
    return in(folder, InstantSource.system());
  }

  /** In {@code folder}, by the time of {@code clock}. */
  static FileBodyStore in(Path folder, InstantSource clock) {
    if (!Files.isDirectory(folder)) {
      throw new IllegalArgumentException(
          folder + " is not a directory; create it, or mount the shared directory there");
    }
    return new FileBodyStore(folder.toAbsolutePath(), clock);
  }

  @Override
  public String name() {
    return "files";
  }

  @Override
  public String write(InputStream body) throws IOException {
    String its = name.readOrGive();
    String uuid = UUID.randomUUID().toString();
    String day = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC).toString();
    Path parent = folder.resolve(day).resolve(uuid.substring(0, 2));
    Path file = parent.resolve(uuid);
    makeFolders(parent);
    Path unfinished = file.resolveSibling(uuid + UNFINISHED);
    try {
      write(body, unfinished);
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
      force(parent);
      return its + "/" + day + "/" + uuid.substring(0, 2) + "/" + uuid;
    } catch (IOException | RuntimeException e) {
      Files.deleteIfExists(unfinished);
      throw e;
    }
  }

  private static void write(InputStream body, Path file) throws IOException {
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        OutputStream out = Channels.newOutputStream(channel)) {
      body.transferTo(out);
      channel.force(true);
    }
  }

  /**
   * Each level is forced in its parent, or a power failure would lose the file with its directory.
   */
  private void makeFolders(Path parent) throws IOException {
    if (!Files.isDirectory(parent)) {
      Files.createDirectories(parent);
      force(parent.resolveSibling("."));
      force(folder);
    }
  }

  private static void force(Path folder) throws IOException {
    try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public InputStream open(String reference) throws IOException {
    return Files.newInputStream(file(reference));
  }

  @Override
  public void delete(String reference) throws IOException {
    Files.deleteIfExists(file(reference));
  }

  private Path file(String reference) throws IOException {
    Matcher parts = REFERENCE.matcher(reference);
    if (!parts.matches()) {
      throw new NoSuchFileException(reference, null, "it is not a reference of this store");
    }
    name.check(parts.group("folder"));
    return folder.resolve(parts.group("file"));
  }

  /** By the time of the file system, which is the same for all hosts; includes unfinished files. */
  @Override
  @SuppressWarnings("StreamResourceLeak") // the caller closes it
  public Stream<String> olderThan(Duration age) throws IOException {
    String its = name.read();
    if (its == null) {
      return Stream.empty();
    }
    Instant before = clock.instant().minus(age);
    return Files.find(
            folder,
            DEPTH,
            (path, attributes) ->
                attributes.isRegularFile()
                    && !attributes.lastModifiedTime().toInstant().isAfter(before))
        .map(this::own)
        .filter(file -> !file.isEmpty())
        .map(file -> its + "/" + file);
  }

  /** Empty for unrelated files, which are left alone; unfinished files are deleted. */
  private String own(Path file) {
    String path = folder.relativize(file).toString().replace('\\', '/');
    if (IS_FILE.matcher(path).matches()) {
      return path;
    }
    boolean unfinished =
        path.endsWith(UNFINISHED)
            && IS_FILE.matcher(path.substring(0, path.length() - UNFINISHED.length())).matches();
    if (unfinished) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return "";
  }

  /** Includes the directory. */
  @Override
  public String toString() {
    return "FileBodyStore[" + folder + "]";
  }
}
