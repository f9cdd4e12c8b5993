package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.message.BatchSettings;
import java.util.Objects;

/** Notes what a nested batch's completion says, and how many of its parts it finds handled. */
final class InnerCompletionHandler implements MessageHandler<Part> {

  @Inject
  InnerCompletionHandler() {}

  @Override
  public void handle(Part inner, HandlerContext context) {
    String counts = Objects.requireNonNull(context.headers().get(BatchSettings.COUNTS_HEADER));
    context
        .transaction()
        .execute(
            "INSERT INTO nest_done (token, counts, parts) SELECT ?, ?, COUNT(*) FROM part p"
                + " JOIN part_done d ON d.token = p.token WHERE p.nest = ?",
            inner.token(),
            counts,
            inner.token());
  }
}
