package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.counter.SlottedCounter;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import java.sql.Connection;
import java.sql.SQLException;

/** Adds to the counter or takes from it, as its message's id says, and notes what it has done. */
final class CountedDeedHandler implements MessageHandler<Deed> {

  private static final int MOST_ADDED = 5;
  private static final int MOST_TAKEN = 9;

  private final HandlingJournal journal;
  private final SlottedCounter counter;

  @Inject
  CountedDeedHandler(HandlingJournal journal, SlottedCounter counter) {
    this.journal = journal;
    this.counter = counter;
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
                    "INSERT INTO counted (message_id, amount) VALUES (?, ?)",
                    context.id().value(),
                    count(context.connection(), context.id().value())));
  }

  /** Returns what the counter has more than before; takes want more in the mean than adds bring. */
  private long count(Connection connection, long id) {
    return switch ((int) (id % 4)) {
      case 0 -> taken(connection, 1 + id % MOST_TAKEN);
      case 1 -> -counter.takeUpTo(connection, Deed.COUNTED, 1 + id % MOST_TAKEN);
      case 2 -> taken(connection, Deed.NEVER_THERE);
      default -> {
        long amount = 1 + id % MOST_ADDED;
        counter.add(connection, Deed.COUNTED, amount);
        yield amount;
      }
    };
  }

  private long taken(Connection connection, long amount) {
    return counter.take(connection, Deed.COUNTED, amount) ? -amount : 0;
  }
}
