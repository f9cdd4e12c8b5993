package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.CancelMessage;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Takes longer than its timeout, which it extends first; whoever interrupts it, or asks for its
 * cancellation, ends it early.
 */
final class LongDeedHandler implements MessageHandler<Deed> {

  private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final HandlingJournal journal;

  @Inject
  LongDeedHandler(HandlingJournal journal) {
    this.journal = journal;
  }

  @Override
  public void handle(Deed deed, HandlerContext context) throws SQLException {
    journal.around(
        context,
        () -> {
          context.extendTimeout(Deed.LONGEST);
          DeedHandler.writeEffect(context);
          takeLong(context);
          Endings.end(deed, context);
        });
  }

  private static void takeLong(HandlerContext context) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Deed.LONG_MILLIS);
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      if (Thread.currentThread().isInterrupted()) {
        throw new IllegalStateException("interrupted before it was done");
      }
      if (context.isCancelAsked()) {
        throw new CancelMessage("before it was done");
      }
      LockSupport.parkNanos(Math.min(left, LOOK_EVERY_NANOS));
    }
  }
}
