package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.body.Sha256;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.handle.PermanentFailure;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.sql.SQLException;
import java.util.HexFormat;

/**
 * Reads a stream to its end, and notes its length and digest. By its message's id, some a first
 * time only in part, and some in vain.
 */
public final class StreamHandler implements MessageHandler<InputStream> {

  /** Its payload is a stream. */
  public static final String TOPIC = "fault.streamed";

  private static final int ONE_BROKEN_OFF_IN = 5;
  private static final int ONE_REJECTED_IN = 11;
  private static final int PIECE = 10_000;

  private final HandlingJournal journal;

  @Inject
  StreamHandler(HandlingJournal journal) {
    this.journal = journal;
  }

  @Override
  public void handle(InputStream body, HandlerContext context) throws SQLException {
    journal.around(
        context,
        () -> {
          DeedHandler.writeEffect(context);
          try {
            read(body, context);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private static void read(InputStream body, HandlerContext context) throws IOException {
    MessageDigest digest = Sha256.digest();
    byte[] piece = new byte[PIECE];
    long length = 0;
    for (int read = body.read(piece); read >= 0; read = body.read(piece)) {
      digest.update(piece, 0, read);
      length += read;
      if (context.id().value() % ONE_BROKEN_OFF_IN == 0 && context.attempt() == 1) {
        throw new IllegalStateException("the first attempt fails before the stream ends");
      }
    }
    context
        .transaction()
        .execute(
            "INSERT INTO streamed_effect (message_id, length, digest) VALUES (?, ?, ?)",
            context.id().value(),
            length,
            HexFormat.of().formatHex(digest.digest()));
    if (context.id().value() % ONE_REJECTED_IN == 0) {
      throw new PermanentFailure("no attempt can end well");
    }
  }
}
