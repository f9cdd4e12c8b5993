package io.rowqueue.proof.fault;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.body.BodyModule;
import io.rowqueue.body.BodyStore;
import io.rowqueue.body.BodySweep;
import io.rowqueue.body.Sha256;
import io.rowqueue.body.StoredBodySweep;
import io.rowqueue.database.Transactions;
import io.rowqueue.message.MessageId;
import io.rowqueue.proof.fault.plugin.StreamHandler;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * The books of streamed payloads: what is read is what was sent, and nothing of any payload is left
 * when its message is gone. Thread-safe.
 */
final class StreamLedger implements Books {

  private static final int BATCH = 500;

  private static final String OWNERS =
      "(SELECT id FROM queue_message UNION ALL SELECT id FROM queue_dead_letter)";

  private final QueueDatabase database;
  private final AtomicLong rolledBack = new AtomicLong();

  StreamLedger(QueueDatabase database) {
    this.database = database;
    database.execute(
        "CREATE TABLE streamed (message_id BIGINT NOT NULL PRIMARY KEY, place VARCHAR(8) NOT NULL,"
            + " length BIGINT NOT NULL, digest CHAR(64) NOT NULL)",
        "CREATE TABLE streamed_effect (message_id BIGINT NOT NULL PRIMARY KEY,"
            + " length BIGINT NOT NULL, digest CHAR(64) NOT NULL)");
  }

  /** Books what was sent, in its transaction. */
  static void book(Connection connection, MessageId id, Place place, byte[] sent)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO streamed VALUES (?, ?, ?, ?)")) {
      insert.setLong(1, id.value());
      insert.setString(2, place.name());
      insert.setLong(3, sent.length);
      insert.setString(4, HexFormat.of().formatHex(Sha256.digest().digest(sent)));
      insert.executeUpdate();
    }
  }

  /** One was sent whose transaction was rolled back: nothing else knows of it. */
  void bookRollback() {
    rolledBack.incrementAndGet();
  }

  /**
   * Sweeps as workers do when they start and every ten minutes, once nobody enqueues any more; what
   * is left then.
   */
  List<String> leftAfterSweep(BodyStore store) throws IOException {
    Injector parts =
        Guice.createInjector(
            new BodyModule(),
            binder -> {
              binder.bind(Transactions.class).toInstance(Transactions.on(database.dataSource()));
              Multibinder.newSetBinder(binder, BodyStore.class).addBinding().toInstance(store);
            });
    int unusedRows = parts.getInstance(BodySweep.class).sweepAll(BATCH);
    StoredBodySweep stored = parts.getInstance(StoredBodySweep.class);
    int unusedStored = stored.sweepRows(BATCH);
    int unusedFiles = stored.sweepStores(Duration.ZERO);
    List<String> left = new ArrayList<>(leftInTables());
    left.addAll(notAsStored(store));
    return left;
  }

  private List<String> leftInTables() {
    return database.strings(
        "SELECT CONCAT('message ', message_id, ' is gone, and its payload is left') FROM"
            + " (SELECT message_id FROM queue_body UNION SELECT message_id FROM queue_stored_body)"
            + " body WHERE message_id NOT IN "
            + OWNERS);
  }

  /** The store has what rows lead to, and no more. */
  private List<String> notAsStored(BodyStore store) throws IOException {
    List<String> left = new ArrayList<>();
    List<String> named = database.strings("SELECT reference FROM queue_stored_body");
    try (Stream<String> all = store.olderThan(Duration.ZERO)) {
      List<String> there = all.toList();
      there.stream()
          .filter(reference -> !named.contains(reference))
          .forEach(reference -> left.add("no row leads to the payload " + reference));
      named.stream()
          .filter(reference -> !there.contains(reference))
          .forEach(reference -> left.add("a row leads to no payload: " + reference));
    }
    return left;
  }

  @Override
  public List<String> findings() {
    List<String> findings = new ArrayList<>();
    findings.addAll(readWrong());
    findings.addAll(neverCommitted());
    findings.addAll(cutShort());
    return findings;
  }

  @Override
  public List<String> unused() {
    List<String> unused = new ArrayList<>();
    for (Place place : Place.values()) {
      unused.addAll(
          Books.unusedIf(
              database,
              "streams in " + place,
              "SELECT COUNT(*) FROM streamed s JOIN streamed_effect e"
                  + " ON e.message_id = s.message_id WHERE s.place = '%s'".formatted(place)));
    }
    unused.addAll(
        Books.unusedIf(database, "streams that were rolled back", "SELECT " + rolledBack));
    return unused;
  }

  private List<String> readWrong() {
    return database.strings(
        "SELECT CONCAT('message ', s.message_id, ' was sent as ', s.length, ' bytes of ',"
            + " LEFT(s.digest, 8), ', and read as ',"
            + " COALESCE(CONCAT(e.length, ' of ', LEFT(e.digest, 8)), 'nothing'))"
            + " FROM streamed s JOIN effect f ON f.message_id = s.message_id"
            + " LEFT JOIN streamed_effect e ON e.message_id = s.message_id"
            + " WHERE NOT (e.length <=> s.length AND e.digest <=> s.digest)");
  }

  private List<String> neverCommitted() {
    return database.strings(
        "SELECT CONCAT('stream ', id, ' was never committed, and is ', place) FROM"
            + " (SELECT message_id AS id, 'read' AS place FROM streamed_effect"
            + " UNION ALL SELECT id, 'in the queue' FROM queue_message WHERE topic = '%1$s'"
                .formatted(StreamHandler.TOPIC)
            + " UNION ALL SELECT id, 'a dead letter' FROM queue_dead_letter WHERE topic = '%1$s')"
                .formatted(StreamHandler.TOPIC)
            + " places WHERE id NOT IN (SELECT message_id FROM streamed)");
  }

  /** A dead letter may come back, and has all of it, or what leads to that outside. */
  private List<String> cutShort() {
    return database.strings(
        "SELECT CONCAT('dead letter ', id, ' has ', has, ' bytes of its stream of ', length) FROM"
            + " (SELECT d.id, s.length,"
            + " COALESCE((SELECT SUM(LENGTH(b.bytes)) FROM queue_body b WHERE b.message_id = d.id),"
            + " (SELECT o.bytes FROM queue_stored_body o WHERE o.message_id = d.id), 0) AS has"
            + " FROM queue_dead_letter d JOIN streamed s ON s.message_id = d.id) dead"
            + " WHERE has <> length");
  }

  /** Where a payload lies. */
  enum Place {
    ROWS,
    FILES;

    @Override
    public String toString() {
      return name();
    }
  }
}
