package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.message.BatchSettings;
import java.util.Objects;

/**
 * Notes what a completion says of its batch, and what it finds of its members: effects, and what
 * their handlers have added.
 */
final class CompletionHandler implements MessageHandler<String> {

  @Inject
  CompletionHandler() {}

  @Override
  public void handle(String nothing, HandlerContext context) {
    String batch = Objects.requireNonNull(context.headers().get(BatchSettings.BATCH_HEADER));
    String counts = Objects.requireNonNull(context.headers().get(BatchSettings.COUNTS_HEADER));
    context
        .transaction()
        .execute(
            "INSERT INTO completed (batch_id, counts, effects, added) SELECT ?, ?,"
                + " (SELECT COUNT(*) FROM batch_member b JOIN effect e"
                + " ON e.message_id = b.message_id WHERE b.batch_id = ?),"
                + " (SELECT COUNT(*) FROM part p JOIN part_done d ON d.token = p.token"
                + " WHERE p.batch_id = ? AND p.nest IS NULL)"
                + " + (SELECT COUNT(*) FROM nest n JOIN nest_done d ON d.token = n.token"
                + " WHERE n.batch_id = ?)",
            batch,
            counts,
            batch,
            batch,
            batch);
  }
}
