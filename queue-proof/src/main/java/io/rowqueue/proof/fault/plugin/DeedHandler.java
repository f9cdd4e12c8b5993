package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Writes its effect into the message's transaction, and ends as the message says. */
final class DeedHandler implements MessageHandler<Deed> {

  private final HandlingJournal journal;

  @Inject
  DeedHandler(HandlingJournal journal) {
    this.journal = journal;
  }

  @Override
  public void handle(Deed deed, HandlerContext context) throws SQLException {
    handle(journal, deed, context, () -> {});
  }

  /** The same for those that note something beside their effect. */
  static void handle(HandlingJournal journal, Deed deed, HandlerContext context, Runnable note)
      throws SQLException {
    journal.around(
        context,
        () -> {
          writeEffect(context);
          note.run();
          work(deed, context);
        });
  }

  static void writeEffect(HandlerContext context) {
    context
        .transaction()
        .execute(
            "INSERT INTO effect (message_id, claim, pid) VALUES (?, ?, ?)",
            context.id().value(),
            context.claimNumber(),
            ProcessHandle.current().pid());
  }

  /** Takes its time, and ends as the message says. */
  static void work(Deed deed, HandlerContext context) throws SQLException {
    if (deed.millis() > 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(deed.millis()));
    }
    Endings.end(deed, context);
  }
}
