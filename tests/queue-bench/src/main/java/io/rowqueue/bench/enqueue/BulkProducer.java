package io.rowqueue.bench.enqueue;

import io.rowqueue.bench.contest.Bare;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** RowQueue's producer, in the transaction of a plain JDBC connection. */
final class BulkProducer implements Contender {

  private final QueueDatabase database;
  private final Payloads payloads;
  private final MessageProducer producer = MessageProducer.create();

  BulkProducer(QueueDatabase database, Payloads payloads) {
    this.database = database;
    this.payloads = payloads;
  }

  @Override
  public String name() {
    return "RowQueue, enqueueAll";
  }

  @Override
  public Effort round(Meter meter, int messages) throws SQLException {
    List<NewMessage> all = payloads.messages(messages);
    try (Connection connection = Bare.connect(database)) {
      Mark from = meter.mark();
      producer.enqueueAll(connection, all);
      connection.commit();
      return meter.since(from, messages);
    } finally {
      database.execute("DELETE FROM queue_message");
    }
  }
}
