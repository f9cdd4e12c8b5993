package io.rowqueue.internal.body;

import com.google.inject.Module;
import io.rowqueue.BodySource;
import io.rowqueue.MessageId;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;

/** The business of tests with large payloads: who handles one writes down what it was. */
public final class LargePayloads {

  public static final String TOPIC = "film";
  public static final String CHUNKS = "SELECT COUNT(*) FROM queue_payload_chunk";

  /** The digests of what was handled, in no order. */
  public final Queue<String> handled = new ConcurrentLinkedQueue<>();

  /** The same bytes for the same length. */
  public static byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  public static BodySource source(int length) {
    return () -> new ByteArrayInputStream(bytes(length));
  }

  public static String digest(byte[] bytes) {
    return HexFormat.of().formatHex(Sha256.digest().digest(bytes));
  }

  public static String digest(int length) {
    return digest(bytes(length));
  }

  public static String digest(InputStream in) throws IOException {
    MessageDigest digest = Sha256.digest();
    byte[] piece = new byte[10_000];
    for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
      digest.update(piece, 0, read);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** Reads streams to their ends. */
  public MessageHandler<InputStream> reading() {
    return (in, context) -> handled.add(digest(in));
  }

  public Module streams(HandlerSettings settings) {
    return LambdaHandlers.bind(TOPIC, InputStream.class, reading(), settings);
  }

  public static Module streams(MessageHandler<InputStream> handler) {
    return LambdaHandlers.bind(TOPIC, InputStream.class, handler);
  }

  public Module whole(HandlerSettings settings) {
    return LambdaHandlers.bind(
        TOPIC, byte[].class, (bytes, context) -> handled.add(digest(bytes)), settings);
  }

  /** Of each message that has some, its chunks and their bytes, by its id. */
  public static List<String> chunks(QueueDatabase database) {
    return database.strings(
        "SELECT CONCAT(COUNT(*), ' of ', SUM(OCTET_LENGTH(bytes)), ', ', SUM(is_last), ' last, ',"
            + " COUNT(sha256), ' digest') FROM queue_payload_chunk GROUP BY message_id ORDER BY"
            + " message_id");
  }

  public static void assertChunksOf(QueueDatabase database, MessageId id, int chunks) {
    Orders.awaitCount(database, CHUNKS + " WHERE message_id = " + id, chunks);
  }
}
