package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import java.sql.SQLException;

/** Does the deed as it reads today, and notes what it has read. */
final class TodayHandler implements MessageHandler<DeedOfToday> {

  private final HandlingJournal journal;

  @Inject
  TodayHandler(HandlingJournal journal) {
    this.journal = journal;
  }

  @Override
  public void handle(DeedOfToday deed, HandlerContext context) throws SQLException {
    DeedHandler.handle(
        journal,
        deed.asDeed(),
        context,
        () ->
            context
                .transaction()
                .execute(
                    "INSERT INTO upcast (message_id, what, size) VALUES (?, ?, ?)",
                    context.id().value(),
                    deed.what().name(),
                    deed.size()));
  }
}
