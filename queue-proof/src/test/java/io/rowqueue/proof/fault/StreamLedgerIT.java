package io.rowqueue.proof.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.body.FileBodyStore;
import io.rowqueue.testkit.QueueDatabase;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the harness would say of broken promises of streams, and what their producer books. */
class StreamLedgerIT {

  private final QueueDatabase database = QueueDatabase.create();
  private FeatureLedger features;

  @TempDir private Path folder;

  @BeforeEach
  void open() {
    features = EmptyBooks.in(database);
  }

  @AfterEach
  void close() {
    database.close();
  }

  @Test
  void everyPromiseOfStreams_brokenOnce_isFoundOnce() {
    String digest = "REPEAT('a', 64)";
    for (int id = 1; id <= 6; id++) {
      database.execute("INSERT INTO streamed VALUES (%d, 'ROWS', 7, %s)".formatted(id, digest));
    }
    database.execute(
        "INSERT INTO effect (message_id, claim, pid) VALUES (1, 1, 1), (2, 1, 1), (3, 1, 1),"
            + " (4, 1, 1)",
        "INSERT INTO streamed_effect VALUES (1, 7, %1$s), (2, 6, %1$s), (3, 7, REPEAT('b', 64)),"
                .formatted(digest)
            + " (8, 7, %s)".formatted(digest),
        "INSERT INTO queue_message (id, topic, payload) VALUES (9, 'fault.streamed', '')",
        "INSERT INTO queue_body (message_id, seq, last, bytes) VALUES (5, 0, 0, '1234'),"
            + " (6, 0, 0, '1234'), (6, 1, 1, '567')");
    for (int id : new int[] {5, 6, 10}) {
      database.execute(
          "INSERT INTO queue_dead_letter (id, topic, priority, claims, attempts, lost, reason,"
              + " detail, worker, due_at, created_at, dead_at, payload) VALUES (%d,".formatted(id)
              + " 'fault.streamed', 0, 1, 1, 0, '', '', '', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6),"
              + " UTC_TIMESTAMP(6), '')");
    }
    assertThat(features.findings())
        .containsExactlyInAnyOrder(
            "message 2 was sent as 7 bytes of aaaaaaaa, and read as 6 of aaaaaaaa",
            "message 3 was sent as 7 bytes of aaaaaaaa, and read as 7 of bbbbbbbb",
            "message 4 was sent as 7 bytes of aaaaaaaa, and read as nothing",
            "stream 8 was never committed, and is read",
            "stream 9 was never committed, and is in the queue",
            "stream 10 was never committed, and is a dead letter",
            "dead letter 5 has 4 bytes of its stream of 7");
  }

  /** A chunk without a first one, a row of another store, and a row without its file. */
  @Test
  void whatNoSweepTakes_isFound() throws Exception {
    FileBodyStore store = FileBodyStore.in(folder);
    String gone = store.write(new ByteArrayInputStream(new byte[1]));
    store.delete(gone);
    database.execute(
        "INSERT INTO queue_body (message_id, seq, last, bytes) VALUES (1, 1, 1, 'x')",
        "INSERT INTO queue_message (id, topic, payload) VALUES (3, 'fault.alone', '')",
        "INSERT INTO queue_stored_body (message_id, store, reference, bytes, sha256) VALUES"
            + " (2, 'other', 'none', 1, REPEAT('x', 32)),"
            + " (3, 'files', '%s', 1, REPEAT('x', 32))".formatted(gone));
    assertThat(features.streams().leftAfterSweep(store))
        .containsExactlyInAnyOrder(
            "message 1 is gone, and its payload is left",
            "message 2 is gone, and its payload is left",
            "a row leads to no payload: none",
            "a row leads to no payload: " + gone);
  }

  @Test
  void whatTheStreamerSends_isBooked_andNothingOfItIsLeft() throws Exception {
    FileBodyStore store = FileBodyStore.in(folder);
    Streamer streamer = new Streamer(database.url(), store, features.streams(), Plan.seeded(1));
    for (int turn = 0; turn < 6; turn++) {
      streamer.stream();
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(4);
    assertThat(
            database.strings(
                "SELECT CONCAT(s.place, ' ', COALESCE(SUM(LENGTH(b.bytes)), MAX(o.bytes)) ="
                    + " s.length) FROM streamed s"
                    + " LEFT JOIN queue_body b ON b.message_id = s.message_id"
                    + " LEFT JOIN queue_stored_body o ON o.message_id = s.message_id"
                    + " GROUP BY s.message_id, s.place, s.length ORDER BY s.message_id"))
        .containsExactly("FILES 1", "ROWS 1", "ROWS 1", "FILES 1");
    assertThat(features.findings()).isEmpty();
    assertThat(features.streams().leftAfterSweep(store)).isEmpty();
    database.execute(
        "INSERT INTO effect (message_id, claim, pid) SELECT id, 1, 1 FROM queue_message",
        "INSERT INTO streamed_effect SELECT message_id, length, digest FROM streamed",
        "DELETE FROM queue_message");
    assertThat(features.findings()).isEmpty();
    assertThat(features.unused()).noneMatch(line -> line.contains("streams"));
    assertThat(features.streams().leftAfterSweep(store)).isEmpty();
    assertThat(
            database.count(
                "SELECT (SELECT COUNT(*) FROM queue_body) + (SELECT COUNT(*) FROM"
                    + " queue_stored_body)"))
        .isZero();
  }
}
