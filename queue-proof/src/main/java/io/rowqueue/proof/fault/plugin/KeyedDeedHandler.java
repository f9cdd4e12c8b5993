package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import java.sql.SQLException;
import java.util.Objects;

/** Does the deed, and notes which of all contents that were enqueued under its key it was given. */
final class KeyedDeedHandler implements MessageHandler<Deed> {

  private final HandlingJournal journal;

  @Inject
  KeyedDeedHandler(HandlingJournal journal) {
    this.journal = journal;
  }

  @Override
  public void handle(Deed deed, HandlerContext context) throws SQLException {
    DeedHandler.handle(
        journal,
        deed,
        context,
        () ->
            context
                .transaction()
                .execute(
                    "INSERT INTO keyed_effect (message_id, content) VALUES (?, ?)",
                    context.id().value(),
                    Long.parseLong(Objects.requireNonNull(deed.filler()))));
  }
}
