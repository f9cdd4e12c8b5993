package io.rowqueue.proof.security;

import io.rowqueue.body.Bodies;
import io.rowqueue.body.BodyPlaces;
import io.rowqueue.body.BodyStore;
import io.rowqueue.body.BodySweep;
import io.rowqueue.body.StoredBodySweep;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.UnreadableException;
import io.rowqueue.proof.MemoryStore;
import io.rowqueue.proof.statement.Core;
import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import java.util.Set;
import javax.sql.DataSource;

/** What workers do with payloads beside the rows of messages. */
final class BodyPlays {

  private static final byte[] PAYLOAD = new byte[50_000];

  private final QueueDatabase database;
  private final DataSource account;
  private final Core core;

  BodyPlays(QueueDatabase database, DataSource account) {
    this.database = database;
    this.account = account;
    this.core = new Core(account, TransactionProbe.NONE);
  }

  void addTo(Plays plays) {
    plays.add("enqueue beside the row, read and sweep", this::inRows);
    plays.add("enqueue into a store, read and sweep", this::stored);
  }

  private MessageId enqueue(MessageProducer producer) {
    return producer.enqueue(account, NewMessage.of("play", PAYLOAD));
  }

  private void forget(MessageId id) {
    database.execute("DELETE FROM queue_message WHERE id = " + id);
  }

  private void inRows() {
    MessageId id = enqueue(MessageProducer.create());
    byte[] read = core.get(Bodies.class).find(id, BodyPlaces.ROWS).read(PAYLOAD.length);
    Plays.hold(read.length == PAYLOAD.length);
    forget(id);
    Plays.hold(core.get(BodySweep.class).sweepAll(10) == 1);
  }

  private void stored() {
    BodyStore store = new MemoryStore();
    MessageId id = enqueue(MessageProducer.create().storing(store, 0));
    try {
      core.get(Bodies.class).find(id, BodyPlaces.STORED);
    } catch (UnreadableException e) {
      Plays.hold(e.toString().contains("'memory'"));
    }
    forget(id);
    StoredBodySweep sweep = StoredBodySweep.over(core.get(Transactions.class), Set.of(store));
    Plays.hold(sweep.sweepRows(10) + sweep.sweepStores(Duration.ZERO) == 1);
  }
}
