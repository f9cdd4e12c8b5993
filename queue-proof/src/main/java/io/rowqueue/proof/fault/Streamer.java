package io.rowqueue.proof.fault;

import io.rowqueue.body.BodyStore;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.fault.Ledger.Entry;
import io.rowqueue.proof.fault.StreamLedger.Place;
import io.rowqueue.proof.fault.plugin.Deed.What;
import io.rowqueue.proof.fault.plugin.StreamHandler;
import java.io.ByteArrayInputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Enqueues payloads as streams, by turns beside their rows and in a store, and rolls back each
 * third. They are small for streams, but for what a claim reads, and many have a chunk more than
 * one. Confined to one thread.
 */
final class Streamer {

  private static final int LEAST_BYTES = 100_000;
  private static final int MOST_BYTES = 300_000;
  private static final int ONE_ROLLED_BACK_IN = 3;

  private final String url;
  private final StreamLedger books;
  private final RandomGenerator random;
  private final MessageProducer beside = MessageProducer.create();
  private final MessageProducer storing;
  private int turns;

  Streamer(String url, BodyStore store, StreamLedger books, RandomGenerator random) {
    this.url = url;
    this.books = books;
    this.random = random;
    this.storing = MessageProducer.create().storing(store, Producer.STORED_FROM);
  }

  /** Enqueues one, in a transaction of its own. */
  void stream() throws SQLException {
    int turn = turns++;
    Place place = turn % 2 == 0 ? Place.ROWS : Place.FILES;
    byte[] bytes = new byte[random.nextInt(LEAST_BYTES, MOST_BYTES)];
    random.nextBytes(bytes);
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      stream(connection, place, bytes);
      if (turn % ONE_ROLLED_BACK_IN == 0) {
        connection.rollback();
        books.bookRollback();
      } else {
        connection.commit();
      }
    }
  }

  private void stream(Connection connection, Place place, byte[] bytes) throws SQLException {
    MessageProducer queue = place == Place.ROWS ? beside : storing;
    MessageId id =
        queue.enqueue(
            connection,
            NewMessage.streamed(StreamHandler.TOPIC, () -> new ByteArrayInputStream(bytes)));
    StreamLedger.book(connection, id, place, bytes);
    // It has no filler: the books of that are those of payloads which are no streams.
    Ledger.book(
        connection, List.of(new Entry(id, StreamHandler.TOPIC, What.SUCCEED, null, null, 0)));
  }
}
