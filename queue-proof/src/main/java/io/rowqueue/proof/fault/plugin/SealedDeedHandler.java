package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.CancelMessage;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import java.sql.SQLException;

/** Does the deed as a long handler would: says how far it is, and looks whether it is to stop. */
final class SealedDeedHandler implements MessageHandler<Deed> {

  private final HandlingJournal journal;

  @Inject
  SealedDeedHandler(HandlingJournal journal) {
    this.journal = journal;
  }

  @Override
  public void handle(Deed deed, HandlerContext context) throws SQLException {
    journal.around(
        context,
        () -> {
          context.progress(1, 2, "before its effect");
          DeedHandler.writeEffect(context);
          if (context.isCancelAsked()) {
            throw new CancelMessage("between its effect and its end");
          }
          context.progress(2, 2, "behind its effect");
          DeedHandler.work(deed, context);
        });
  }
}
