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

  /** Confined to the thread that asks, like what follows. */
  private final Set<String> seen = new HashSet<>();

  private boolean sparesNext;

  CancelLedger(QueueDatabase database) {
    this.database = database;
    this.messages = Messages.of(Transactions.on(database.dataSource()));
    database.execute("CREATE TABLE cancelled (message_id BIGINT NOT NULL PRIMARY KEY)");
  }

  /** Asks for one at most; the next that it sees behind one that was asked for goes on. */
  void ask() {
    for (String id : database.strings(IN_FLIGHT)) {
      if (seen.add(id)) {
        boolean spared = sparesNext;
        sparesNext = !spared && ask(new MessageId(Long.parseLong(id)));
        if (!spared) {
          return;
        }
      }
    }
  }

  /** Books first that it may go, and never strikes that out: whether it went is not known yet. */
  private boolean ask(MessageId id) {
    database.execute("INSERT INTO asked VALUES (%d)".formatted(id.value()));
    Ledger.bookRemoval(database, id);
    try {
      if (messages.askCancel(id, "the fault harness") == CancelAnswer.CANCELLED) {
        book(database, id);
      }
      return true;
    } catch (RefusedException e) {
      database.execute("DELETE FROM asked WHERE message_id = %d".formatted(id.value()));
      Ledger.strikeOutRemoval(database, id);
      return false;
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
