package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import java.sql.SQLException;

/** Its effect is its line in the journal: outside of every transaction, as an e-mail is. */
final class OutsideHandler implements MessageHandler<Deed> {

  private final HandlingJournal journal;

  @Inject
  OutsideHandler(HandlingJournal journal) {
    this.journal = journal;
  }

  @Override
  public void handle(Deed deed, HandlerContext context) throws SQLException {
    journal.around(context, () -> DeedHandler.work(deed, context));
  }
}
