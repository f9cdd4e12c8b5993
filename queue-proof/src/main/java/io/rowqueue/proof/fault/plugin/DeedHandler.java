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
    journal.begin(context);
    String outcome = "failed";
    try {
      context
          .transaction()
          .execute(
              "INSERT INTO effect (message_id, claim, pid) VALUES (?, ?, ?)",
              context.id().value(),
              context.claimNumber(),
              ProcessHandle.current().pid());
      work(deed);
      Endings.end(deed, context);
      outcome = "returned";
    } finally {
      journal.end(context, outcome);
    }
  }

  static void work(Deed deed) {
    if (deed.millis() > 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(deed.millis()));
    }
  }
}
