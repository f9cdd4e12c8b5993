package io.rowqueue.proof.fault;

import io.rowqueue.database.Transactions;
import io.rowqueue.message.MessageId;
import io.rowqueue.operate.CancelAnswer;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.QueueDatabase;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The books of cancelled messages: what was answered to be cancelled is in no place and has no
 * effect. What was asked for while a worker had it may be gone or not. Thread-safe, but for {@link
 * #ask}.
 */
final class CancelLedger implements Books {

  /** Handlers of the first two look whether they are to stop; those of the others have won. */
  private static final List<String> TOPICS =
      List.of(Deed.LONG, Deed.SEALED, Deed.SHARED, Deed.BATCH, Deed.LIMITED, Deed.WIDE);

  private static final String IN_FLIGHT =
      "SELECT id FROM queue_message WHERE state = 1 AND topic IN ('%s')"
              .formatted(String.join("', '", TOPICS))
          + " ORDER BY topic = '%s' DESC, id LIMIT 20".formatted(Deed.LONG);

  private final QueueDatabase database;
  private final Messages messages;

  /** Confined to the thread that asks. */
  private final Set<String> seen = new HashSet<>();

  CancelLedger(QueueDatabase database) {
    this.database = database;
    this.messages = Messages.of(Transactions.on(database.dataSource()));
    database.execute("CREATE TABLE cancelled (message_id BIGINT NOT NULL PRIMARY KEY)");
  }

  /** Asks for one at most; of those that it sees in flight, every second one goes on. */
  void ask() {
    for (String id : database.strings(IN_FLIGHT)) {
      if (seen.add(id) && seen.size() % 2 == 1) {
        ask(new MessageId(Long.parseLong(id)));
        return;
      }
    }
  }

  /** Books first that it may go, and never strikes that out: whether it went is not known yet. */
  private void ask(MessageId id) {
    database.execute("INSERT INTO asked VALUES (%d)".formatted(id.value()));
    Ledger.bookRemoval(database, id);
    try {
      if (messages.askCancel(id, "the fault harness") == CancelAnswer.CANCELLED) {
        book(database, id);
      }
    } catch (RefusedException e) {
      database.execute("DELETE FROM asked WHERE message_id = %d".formatted(id.value()));
      Ledger.strikeOutRemoval(database, id);
    }
  }

  /** It was answered that {@code id} is gone. */
  static void book(QueueDatabase database, MessageId id) {
    database.execute("INSERT IGNORE INTO cancelled VALUES (%d)".formatted(id.value()));
  }

  @Override
  public List<String> findings() {
    return database.strings(
        """
        SELECT CONCAT('message ', c.message_id, ' was cancelled, and is ', p.place)
        FROM cancelled c JOIN (SELECT message_id AS id, 'handled' AS place FROM effect
          UNION ALL SELECT id, 'a dead letter' FROM queue_dead_letter
          UNION ALL SELECT id, 'in the queue' FROM queue_message) p ON p.id = c.message_id
        """);
  }

  @Override
  public List<String> unused() {
    return Books.unusedIf(database, "cancellations asked for", "SELECT COUNT(*) FROM asked");
  }
}
