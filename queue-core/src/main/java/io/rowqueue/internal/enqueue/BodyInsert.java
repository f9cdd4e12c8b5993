package io.rowqueue.internal.enqueue;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.PayloadException;
import io.rowqueue.internal.body.Sha256;
import io.rowqueue.spi.BodyStore;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes the payloads that lie beside their messages' rows, in their transaction; at no time more
 * than two chunks of them are in memory. JDBC, as {@link MultiRowInsert} is.
 */
final class BodyInsert {

  /**
   * The driver may double a chunk to escape it, and the least max_allowed_packet in use is 1 MiB.
   * Small bodies share a statement up to here.
   */
  static final int CHUNK_BYTES = 256 << 10;

  /** However small they are: a prepared statement has at most 65,535 parameters. */
  private static final int MOST_CHUNKS = 500;

  private static final String CHUNKS =
      "INSERT INTO queue_payload_chunk (message_id, seq, is_last, bytes, sha256) VALUES %s";

  private static final String STORED =
      "INSERT INTO queue_payload_ref (message_id, store, reference, bytes, sha256) VALUES (?, ?,"
          + " ?, ?, ?)";

  private static final byte[] NONE = {};

  private final Connection connection;
  private final List<Chunk> pending = new ArrayList<>();
  private int pendingBytes;

  BodyInsert(Connection connection) {
    this.connection = connection;
  }

  /** Whether any of {@code messages} has such a payload. */
  static boolean isFor(List<EncodedMessage> messages) {
    return messages.stream().anyMatch(message -> message.external() != null);
  }

  /** Writes those of {@code messages}, which were inserted under {@code ids}. */
  void insert(List<EncodedMessage> messages, List<Long> ids) throws SQLException {
    for (int i = 0; i < ids.size(); i++) {
      EncodedMessage.ExternalBody body = messages.get(i).external();
      if (body != null) {
        insert(body, ids.get(i));
      }
    }
    flush();
  }

  private void insert(EncodedMessage.ExternalBody body, long id) throws SQLException {
    try (InputStream raw = body.source().open();
        Metered in = new Metered(raw, body)) {
      BodyStore store = body.store();
      if (store == null) {
        chunks(in, id);
      } else {
        stored(store.name(), store.write(in), in, id);
      }
    } catch (IOException e) {
      throw new PayloadException(
          "nothing was enqueued, the body of a message to '%s' could not be %s: %s"
              .formatted(body.topic(), body.store() == null ? "read" : "stored", e),
          e);
    }
  }

  private void chunks(Metered in, long id) throws IOException, SQLException {
    byte[] next = in.readNBytes(CHUNK_BYTES);
    boolean last = false;
    for (int seq = 0; !last; seq++) {
      byte[] bytes = next;
      next = bytes.length < CHUNK_BYTES ? NONE : in.readNBytes(CHUNK_BYTES);
      last = next.length == 0;
      add(new Chunk(id, seq, bytes, last ? in.sha256() : null));
    }
  }

  private void add(Chunk chunk) throws SQLException {
    if (pendingBytes + chunk.bytes.length > CHUNK_BYTES || pending.size() == MOST_CHUNKS) {
      flush();
    }
    pending.add(chunk);
    pendingBytes += chunk.bytes.length;
  }

  private void flush() throws SQLException {
    if (pending.isEmpty()) {
      return;
    }
    try (PreparedStatement insert =
        connection.prepareStatement(
            CHUNKS.formatted(Lists.marks("(?, ?, ?, ?, ?)", pending.size())))) {
      int parameter = 1;
      for (Chunk chunk : pending) {
        insert.setLong(parameter++, chunk.id);
        insert.setInt(parameter++, chunk.seq);
        insert.setInt(parameter++, chunk.sha256 == null ? 0 : 1);
        insert.setBytes(parameter++, chunk.bytes);
        insert.setBytes(parameter++, chunk.sha256);
      }
      insert.executeUpdate();
    }
    pending.clear();
    pendingBytes = 0;
  }

  private void stored(String store, String reference, Metered in, long id) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(STORED)) {
      insert.setLong(1, id);
      insert.setString(2, store);
      insert.setString(3, reference);
      insert.setLong(4, in.bytes);
      insert.setBytes(5, in.sha256());
      insert.executeUpdate();
    }
  }

  /**
   * A row of queue_payload_chunk.
   *
   * @param sha256 of the whole body; null unless this is the last
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Chunk(long id, int seq, byte[] bytes, byte @Nullable [] sha256) {}

  /** Counts what is read, and refuses more than there may be. */
  private static final class Metered extends InputStream {

    private final InputStream in;
    private final EncodedMessage.ExternalBody body;
    private final MessageDigest digest = Sha256.digest();
    private long bytes;

    Metered(InputStream in, EncodedMessage.ExternalBody body) {
      this.in = in;
      this.body = body;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return readNBytes(one, 0, 1) < 1 ? -1 : one[0] & 0xff;
    }

    /** Some streams answer that they have ended when they are asked for nothing. */
    @Override
    public int read(byte[] to, int from, int length) throws IOException {
      if (length == 0) {
        return 0;
      }
      int read = in.read(to, from, length);
      if (read > 0) {
        bytes += read;
        digest.update(to, from, read);
      }
      if (bytes > body.most()) {
        throw new InvalidMessageException(
            "the streamed payload of a message to '%s' has more than %,d bytes; raise the limit with MessageLimits.withStreamedBytes"
                .formatted(body.topic(), body.most()));
      }
      return read;
    }

    byte[] sha256() {
      return digest.digest();
    }
  }
}
