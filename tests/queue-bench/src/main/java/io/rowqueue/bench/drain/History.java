package io.rowqueue.bench.drain;

import io.rowqueue.database.Transactions;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.QueueDatabase;

/** The same, with a copy of each message kept in the archive by the transaction that deletes it. */
final class History implements Drainer {

  private static final Topic TOPIC = new Topic(QueueTable.TOPIC);
  private static final int DAYS = 7;

  private final QueueDatabase database;
  private final Drainer drainer;
  private final Topics topics;

  History(QueueDatabase database, Drainer drainer) {
    this.database = database;
    this.drainer = drainer;
    this.topics = Topics.of(Transactions.on(database.dataSource()));
  }

  @Override
  public String name() {
    return drainer.name() + ", history kept";
  }

  @Override
  public void fill(int messages) throws Exception {
    topics.keep(TOPIC, DAYS);
    drainer.fill(messages);
  }

  @Override
  public void drain(Progress progress) throws Exception {
    drainer.drain(progress);
    long kept = database.count("SELECT COUNT(*) FROM queue_archive");
    if (kept != progress.messages()) {
      throw new IllegalStateException(
          "%d of %d messages were kept".formatted(kept, progress.messages()));
    }
    topics.keepNone(TOPIC);
    database.execute("DELETE FROM queue_archive");
  }

  @Override
  public void close() {
    drainer.close();
  }
}
