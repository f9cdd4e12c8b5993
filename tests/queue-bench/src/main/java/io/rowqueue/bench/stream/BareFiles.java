package io.rowqueue.bench.stream;

import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.body.Sha256;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.sql.SQLException;
import java.util.Map;

/**
 * The floor of files: a copy that is forced to the disk, and a row that names it; with the SHA-256
 * that RowQueue reckons on both sides, or without.
 */
final class BareFiles implements Way {

  private final QueueDatabase database;
  private final BareMessages messages;
  private final Folder folder;
  private final boolean digested;

  private BareFiles(QueueDatabase database, Folder folder, boolean digested) throws SQLException {
    this.database = database;
    this.messages = BareMessages.of(database);
    this.folder = folder;
    this.digested = digested;
  }

  /** Nothing else. */
  static Way plain(QueueDatabase database, Folder folder) throws SQLException {
    return new BareFiles(database, folder, false);
  }

  /** With the SHA-256. */
  static Way digested(QueueDatabase database, Folder folder) throws SQLException {
    return new BareFiles(database, folder, true);
  }

  @Override
  public String name() {
    return digested ? "floor: files and their SHA-256" : "files, nothing reckoned";
  }

  @Override
  public void write(Films films) throws IOException, SQLException {
    Path day = Files.createDirectories(folder.path().resolve("day"));
    for (int i = 0; i < films.count(); i++) {
      Path file = day.resolve("film-" + i);
      copy(films, file);
      messages.insert(file.toString());
      messages.connection().commit();
    }
  }

  private void copy(Films films, Path file) throws IOException {
    try (InputStream film = digested ? films.openDigested() : films.open();
        FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        OutputStream out = Channels.newOutputStream(channel)) {
      film.transferTo(out);
      channel.force(true);
    }
  }

  /** The files stay, as RowQueue's do for a while. */
  @Override
  public Effort read(Films films, Meter meter) throws IOException, SQLException {
    Mark from = meter.mark();
    for (Map.Entry<Long, String> message : messages.all().entrySet()) {
      try (InputStream raw = Files.newInputStream(Path.of(message.getValue()));
          InputStream film = digested ? new DigestInputStream(raw, Sha256.digest()) : raw) {
        films.watch(film);
      }
      messages.end(message.getKey());
    }
    return meter.since(from, films.allMegabytes());
  }

  @Override
  public void clean() throws IOException, SQLException {
    messages.connection().rollback();
    database.clean();
    folder.clean();
  }

  @Override
  public void close() {
    messages.close();
  }
}
