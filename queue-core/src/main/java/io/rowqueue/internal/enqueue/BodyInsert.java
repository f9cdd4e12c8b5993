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
 * Writes external payloads in the transaction of their messages. Keeps at most two chunks in
 * memory. Uses JDBC for the same reason as {@link MultiRowInsert}.
 */
final class BodyInsert {

  /**
   * The maximum size of a chunk, and of all chunks of one statement. Escaping by the driver may
   * double it, and the smallest max_allowed_packet in use is 1 MiB.
   */
  static final int CHUNK_BYTES = 256 << 10;

  /** A prepared statement has at most 65,535 parameters. */
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

  /** Whether any of {@code messages} has an external payload. */
  static boolean isFor(List<EncodedMessage> messages) {
    return messages.stream().anyMatch(message -> message.external() != null);
  }

  /** Writes the external payloads of {@code messages}, which were inserted with {@code ids}. */
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
          "nothing was enqueued: the payload of a message to '%s' could not be %s: %s"
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
   * @param sha256 of the whole payload; null unless this is the last chunk
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Chunk(long id, int seq, byte[] bytes, byte @Nullable [] sha256) {}

  /** Counts and hashes the bytes that are read, and refuses more than the limit. */
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

    /** Does not pass on reads of length zero, since some streams report their end for them. */
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
            "the streamed payload of a message to '%s' has more than %,d bytes, the limit of its producer (in Java MessageLimits.withStreamedBytes)"
                .formatted(body.topic(), body.most()));
      }
      return read;
    }

    byte[] sha256() {
      return digest.digest();
    }
  }
}
