package io.rowqueue.bench;

import io.rowqueue.bench.Commits.Payloads;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contest;
import io.rowqueue.bench.measure.Contest.Standing;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Report.Bar;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Threads;
import io.rowqueue.worker.Worker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** How fast messages get into the queue: ten thousand in one transaction, and one by one. */
final class Enqueue implements Workload {

  private static final int BULK = 10_000;
  private static final int SINGLE = 20_000;
  private static final int SMALL = 200;
  private static final int LARGE = 10_240;

  @Override
  public String name() {
    return "enqueue";
  }

  @Override
  public String what() {
    return "messages enqueued a second: in bulk, and with a commit each";
  }

  @Override
  public void run(Stage stage) throws Exception {
    bulk(stage, SMALL, "200 B");
    bulk(stage, LARGE, "10 KB");
    for (int threads : new int[] {1, 4, 16}) {
      commits(stage, threads);
    }
  }

  private static void bulk(Stage stage, int size, String words) throws Exception {
    Payloads payloads = Payloads.of(size);
    Contender floor = new BulkFloor(stage.database(), payloads);
    Contender ours = new BulkProducer(stage.database(), payloads);
    String title = "%,d messages of %s in one transaction".formatted(BULK, words);
    Standing end =
        new Contest(stage, "enqueue", title, stage.messages(BULK)).run(List.of(ours, floor));
    show(stage, "enqueue-" + size, end, floor);
    stage
        .report()
        .bar(
            Bar.atLeast(
                words + " in bulk: rate to the floor",
                end.ratio(ours, floor, Effort::perSecond),
                0.85));
  }

  /** With a worker that listens and claims nothing, since its topic is paused. */
  private static void commits(Stage stage, int threads) throws Exception {
    Payloads payloads = Payloads.of(SMALL);
    try (Worker listening = listener(stage);
        Contender floor = Commits.floor(stage.database(), threads, payloads);
        Contender ours = Commits.producer(stage.database(), threads, payloads);
        Contender ringing = Commits.ringing(stage.database(), threads, payloads)) {
      Standing end =
          new Contest(
                  stage,
                  "enqueue",
                  "a commit each, %d threads".formatted(threads),
                  stage.messages(SINGLE))
              .run(List.of(ours, ringing, floor));
      show(stage, "enqueue-commits-" + threads, end, floor);
      for (Contender one : List.of(ours, ringing)) {
        stage
            .report()
            .bar(
                Bar.atLeast(
                    "%s, %d threads: rate to the floor".formatted(one.name(), threads),
                    end.ratio(one, floor, Effort::perSecond),
                    0.90));
      }
    }
  }

  private static Worker listener(Stage stage) {
    Topics.of(Transactions.on(stage.database().dataSource())).pause(new Topic(Payloads.TOPIC));
    return Bindings.start(
        stage.database().url(),
        List.of(
            LambdaHandlers.bind(
                Payloads.TOPIC,
                Payloads.Text.class,
                (text, context) -> {
                  throw new IllegalStateException("the topic is paused");
                })));
  }

  private static void show(Stage stage, String chart, Standing end, Contender floor) {
    stage.report().table(end.table(floor, Load.average()));
    stage.report().chart(stage.file(chart), end.chart(stage.server()));
  }

  /** The floor of bulks: inserts of many rows, of bytes that are ready, in one transaction. */
  static final class BulkFloor implements Contender {

    private static final int MOST_ROWS = 1_000;
    private static final int MOST_BYTES = 1 << 20;

    private final QueueDatabase database;
    private final Payloads payloads;
    private final int rows;

    BulkFloor(QueueDatabase database, Payloads payloads) {
      this.database = database;
      this.payloads = payloads;
      this.rows = Math.min(MOST_ROWS, MOST_BYTES / payloads.bytes().length);
    }

    @Override
    public String name() {
      return "floor: INSERT of %,d rows".formatted(rows);
    }

    @Override
    public Effort round(Meter meter, int messages) throws SQLException {
      try (Connection connection = Bare.connect(database)) {
        Mark from = meter.mark();
        int left = messages;
        while (left > 0) {
          int some = Math.min(left, rows);
          insert(connection, some);
          left -= some;
        }
        connection.commit();
        return meter.since(from, messages);
      } finally {
        database.execute("DELETE FROM queue_message");
      }
    }

    private void insert(Connection connection, int some) throws SQLException {
      String sql =
          "INSERT INTO queue_message (topic, payload) VALUES "
              + String.join(",", Collections.nCopies(some, "(?,?)"));
      try (PreparedStatement insert = connection.prepareStatement(sql)) {
        for (int row = 0; row < some; row++) {
          insert.setString(2 * row + 1, Payloads.TOPIC);
          insert.setBytes(2 * row + 2, payloads.bytes());
        }
        insert.executeUpdate();
      }
    }
  }

  /** RowQueue's producer, in the transaction of a plain JDBC connection. */
  static final class BulkProducer implements Contender {

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

  /** Where a message's id comes from, with 16 producers that commit each message. */
  static final class Ids implements Workload {

    private static final int THREADS = 16;
    private static final int MESSAGES = 10_000;

    /** Below the milliseconds of a time-ordered id: a number that goes round. */
    private static final int NUMBER_BITS = 20;

    private static final AtomicInteger NUMBER = new AtomicInteger();

    @Override
    public String name() {
      return "ids";
    }

    @Override
    public String what() {
      return "AUTO_INCREMENT, UUID_SHORT and time-ordered ids at 16 producers";
    }

    @Override
    public void run(Stage stage) throws Exception {
      QueueDatabase database = stage.database();
      Contender auto = new Inserts(database, "AUTO_INCREMENT", "", "", false);
      Contender uuid = new Inserts(database, "UUID_SHORT()", "id, ", "UUID_SHORT(), ", false);
      Contender time =
          new Inserts(database, "time-ordered, from the producer", "id, ", "?, ", true);
      Standing end =
          new Contest(stage, "ids", "ids, 16 producers, a commit each", stage.messages(MESSAGES))
              .run(List.of(auto, uuid, time));
      stage.report().table(end.table(auto, Load.average()));
      stage.report().chart(stage.file("ids"), end.chart(stage.server()));
    }

    /** Into a copy of the queue's table, with all its keys. */
    private record Inserts(
        QueueDatabase database, String name, String column, String value, boolean bound)
        implements Contender {

      private static final byte[] PAYLOAD = Payloads.of(200).bytes();

      @Override
      public Effort round(Meter meter, int messages) throws Exception {
        database.execute(
            "DROP TABLE IF EXISTS ids",
            "CREATE TABLE ids LIKE queue_message",
            bound || !column.isEmpty() ? "ALTER TABLE ids MODIFY id BIGINT NOT NULL" : "DO 0");
        AtomicInteger next = new AtomicInteger();
        Mark from = meter.mark();
        Threads.run(
            THREADS,
            () -> {
              insertAll(next, messages);
              return true;
            });
        return meter.since(from, messages);
      }

      private void insertAll(AtomicInteger next, int messages) throws SQLException {
        String sql =
            "INSERT INTO ids (" + column + "topic, payload) VALUES (" + value + "'bench', ?)";
        try (Connection connection = Bare.connect(database);
            PreparedStatement insert = connection.prepareStatement(sql)) {
          while (next.getAndIncrement() < messages) {
            if (bound) {
              insert.setLong(1, timeOrdered());
            }
            insert.setBytes(bound ? 2 : 1, PAYLOAD);
            insert.executeUpdate();
            connection.commit();
          }
        }
      }

      private static long timeOrdered() {
        return System.currentTimeMillis() << NUMBER_BITS
            | (NUMBER.getAndIncrement() & ((1 << NUMBER_BITS) - 1));
      }
    }
  }
}
