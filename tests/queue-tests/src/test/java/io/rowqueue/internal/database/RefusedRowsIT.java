package io.rowqueue.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.Module;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.body.BodySweep;
import io.rowqueue.internal.body.StoredBodySweep;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.deduplicate.DeduplicationKeys;
import io.rowqueue.internal.depth.Statistics;
import io.rowqueue.internal.limit.TopicSlots;
import io.rowqueue.internal.operate.JooqAudit;
import io.rowqueue.internal.order.Admission;
import io.rowqueue.internal.order.GroupSweep;
import io.rowqueue.internal.progress.ProgressStore;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.internal.result.ResultPruning;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.Archive;
import io.rowqueue.operate.Batches;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.MemoryStore;
import io.rowqueue.tests.RefusingTrigger;
import io.rowqueue.tests.TestWorker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.ObjIntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each change of several rows, of which the server refuses one. */
@QueueTest
class RefusedRowsIT {

  private static final String AVAILABLE = "SELECT COUNT(*) FROM queue_message WHERE state = 0";

  private final QueueDatabase database;
  private final LockId me = LockId.create("me", 1);
  private TestWorker parts;

  RefusedRowsIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void create() {
    Module store =
        binder ->
            Multibinder.newSetBinder(binder, BodyStore.class)
                .addBinding()
                .toInstance(new MemoryStore());
    parts =
        TestWorker.create(
            database, config -> config, Handlers.bind("order", (order, context) -> {}), store);
  }

  @AfterEach
  void closeConnections() {
    parts.close();
  }

  /** Five messages, each with an ordering key of its own if {@code keyed}. */
  private List<MessageId> enqueue(boolean keyed) {
    return MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            IntStream.range(0, 5)
                .mapToObj(
                    i -> {
                      NewMessage message = NewMessage.of("order", new Order(i));
                      return keyed ? message.withOrderingKey("key" + i) : message;
                    })
                .toList());
  }

  private RefusingTrigger refuseThird(List<MessageId> ids) {
    return RefusingTrigger.on(database, "UPDATE ON queue_message", "OLD.id = " + ids.get(2));
  }

  private List<Claim> claim() {
    return parts.get(ClaimStrategy.class).claim(new ClaimRequest(new Topic("order"), me, 5, 1));
  }

  @Test
  void claim_takesAllOthers_andLeavesItOutFirst() {
    List<MessageId> ids = enqueue(false);
    List<MessageId> others = new ArrayList<>(ids);
    others.remove(2);
    try (RefusingTrigger refusal = refuseThird(ids)) {
      assertThat(claim()).extracting(Claim::id).containsExactlyInAnyOrderElementsOf(others);
      assertThat(claim()).isEmpty();
    }
  }

  @Test
  void promote_promotesAllOthers() {
    List<MessageId> ids = enqueue(false);
    database.execute(
        "UPDATE queue_message SET state = 2, due_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND");
    try (RefusingTrigger refusal = refuseThird(ids)) {
      assertThat(parts.get(ClaimStore.class).promote(100)).isEqualTo(4);
      assertThat(parts.get(ClaimStore.class).promote(100)).isZero();
    }
  }

  @Test
  void release_ofEachKind_releasesAllOthers() {
    List<MessageId> ids = enqueue(false);
    List<Claim> claims = claim();
    try (RefusingTrigger refusal = refuseThird(ids)) {
      assertThat(parts.get(ClaimStore.class).reconcile(me, Set.of())).isEqualTo(4);
      assertThat(parts.get(ClaimStore.class).reconcile(me, Set.of())).isZero();
      database.execute(
          "UPDATE queue_message SET state = 1, lock_id = '%s' WHERE state = 0".formatted(me));
      assertThat(parts.get(ClaimStore.class).release(claims)).isEqualTo(4);
      database.execute(
          "UPDATE queue_message SET state = 1, lock_id = '%s' WHERE state = 0".formatted(me));
      assertThat(parts.get(Settler.class).releaseAll(claims)).isEqualTo(4);
    }
  }

  @Test
  void release_ofClaimsWithOtherNumbers_releasesAllOthers() {
    List<MessageId> ids = enqueue(false);
    database.execute("UPDATE queue_message SET claim_number = id");
    List<Claim> claims = claim();
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "UPDATE ON queue_message", "OLD.id = " + ids.get(0))) {
      ClaimStore store = parts.get(ClaimStore.class);
      assertThatThrownBy(() -> store.release(claims)).hasMessageContaining("not today");
      assertThat(database.count(AVAILABLE)).isEqualTo(4);
      database.execute(
          "UPDATE queue_message SET state = 1, lock_id = '%s' WHERE state = 0".formatted(me));
      assertThat(store.reconcile(me, Set.of())).isEqualTo(4);
    }
  }

  @Test
  void admit_admitsAllOthers() {
    List<MessageId> ids = enqueue(true);
    try (RefusingTrigger refusal = refuseThird(ids)) {
      assertThat(parts.get(Admission.class).admitNow()).isEqualTo(4);
      assertThat(parts.get(Admission.class).admitNow()).isZero();
      assertThat(database.count(AVAILABLE)).isEqualTo(4);
    }
  }

  private static final List<Pruned> PRUNED =
      List.of(
          new Pruned(
              "queue_archive",
              "%sid",
              "id, settled_day, topic, priority, claim_number, attempts, lost_claims, worker,"
                  + " due_at, created_at, settled_at, payload) VALUES (%1$d, '2020-01-01', 'order',"
                  + " 0, 1, 0, 0, '', '2020-01-01', '2020-01-01', '2020-01-01', ''",
              (parts, most) -> parts.get(Archive.class).prune(most)),
          new Pruned(
              "queue_audit",
              "%sid",
              "id, at, actor, origin, action, target, result) VALUES (%1$d, '2020-01-01', '', '',"
                  + " '', '', ''",
              (parts, most) -> parts.get(JooqAudit.class).prune(most)),
          new Pruned(
              "queue_batch",
              "%sid",
              "id, shards, open_shards, created_at, completed_at) VALUES (%1$d, 1, 0, '2020-01-01',"
                  + " '2020-01-01'",
              (parts, most) -> parts.get(Batches.class).prune(most)),
          new Pruned(
              "queue_deduplication",
              "ASCII(%sdedup_id)",
              "dedup_id, topic, dedup_key, version, updated_at) VALUES (CHAR(%1$d), 'order',"
                  + " '%1$d', 1, '2020-01-01'",
              (parts, most) -> parts.get(DeduplicationKeys.class).prune(most)),
          new Pruned(
              "queue_ordering_group",
              "ASCII(%sgroup_id)",
              "group_id, topic, ordering_key, version, updated_at) VALUES (CHAR(%1$d), 'order',"
                  + " '%1$d', 1, '2020-01-01'",
              (parts, most) -> parts.get(GroupSweep.class).prune(most)),
          new Pruned(
              "queue_ordering_lock",
              "ASCII(%sgroup_id)",
              "group_id, version, updated_at) VALUES (CHAR(%1$d), 1, '2020-01-01'",
              (parts, most) -> parts.get(GroupSweep.class).prune(most)),
          new Pruned(
              "queue_payload_chunk",
              "%smessage_id",
              "message_id, seq, is_last, bytes) VALUES (%1$d, 0, 1, 'b'",
              (parts, most) -> parts.get(BodySweep.class).sweepAll(most)),
          new Pruned(
              "queue_payload_ref",
              "%smessage_id",
              "message_id, store, reference, bytes, sha256) VALUES (%1$d, 'memory', 'body-%1$d', 1,"
                  + " ''",
              (parts, most) -> parts.get(StoredBodySweep.class).sweepRows(most)),
          new Pruned(
              "queue_progress",
              "%smessage_id",
              "message_id, claim_number, done, updated_at) VALUES (%1$d, 1, 1, '2020-01-01'",
              (parts, most) -> parts.get(ProgressStore.class).prune(most)),
          new Pruned(
              "queue_result",
              "%smessage_id",
              "message_id, topic, settled_at, expires_at) VALUES (%1$d, 'order', '2020-01-01',"
                  + " '2020-01-01'",
              (parts, most) -> parts.get(ResultPruning.class).prune(most)),
          new Pruned(
              "queue_result_listener",
              "%slistener",
              "listener, listener_connection, server_identity, lease_until) VALUES ('%1$d', 1, '',"
                  + " '2020-01-01'",
              (parts, most) -> parts.get(ResultPruning.class).prune(most)),
          new Pruned(
              "queue_statistics",
              "DAY(%sstarts_at)",
              "minutes, starts_at, topic) VALUES (60, '2020-01-0%1$d', 'order'",
              (parts, most) -> parts.get(Statistics.class).prune(most)));

  /** What is pruned, with a row of number %1$d that is old enough. */
  private record Pruned(String table, String number, String row, ObjIntConsumer<TestWorker> prune) {

    void insert(QueueDatabase database) {
      for (int number = 1; number <= 3; number++) {
        database.execute("INSERT INTO " + table + " (" + row.formatted(number) + ")");
      }
    }

    @Override
    public String toString() {
      return table;
    }

    String left() {
      return "SELECT CAST(SUM(%s) AS SIGNED) FROM %s".formatted(number.formatted(""), table);
    }
  }

  private static List<Pruned> pruned() {
    return PRUNED;
  }

  private static Stream<Pruned> prunedWhereFree() {
    return PRUNED.stream().filter(one -> !one.table.matches("queue_(batch|payload.*|statistics)"));
  }

  private static Stream<Pruned> prunedPageByPage() {
    return PRUNED.stream()
        .filter(one -> one.table.matches("queue_(deduplication|ordering.*|payload.*)"));
  }

  @ParameterizedTest
  @MethodSource("pruned")
  void prune_deletesAllOthers(Pruned pruned) {
    pruned.insert(database);
    try (RefusingTrigger refusal =
        RefusingTrigger.on(
            database, "DELETE ON " + pruned.table, pruned.number.formatted("OLD.") + " = 2")) {
      pruned.prune.accept(parts, 10);
      assertThat(database.count(pruned.left())).as("the sum of the rows' numbers").isEqualTo(2);
      pruned.prune.accept(parts, 10);
    }
  }

  @ParameterizedTest
  @MethodSource("prunedPageByPage")
  void prune_afterARefusedPage_deletesTheNext(Pruned pruned) {
    pruned.insert(database);
    try (RefusingTrigger refusal =
        RefusingTrigger.on(
            database, "DELETE ON " + pruned.table, pruned.number.formatted("OLD.") + " = 1")) {
      assertThatThrownBy(() -> pruned.prune.accept(parts, 1)).hasMessageContaining("not today");
      assertThat(database.count(pruned.left())).as("the sum of the rows' numbers").isOne();
      pruned.prune.accept(parts, 1);
    }
  }

  @ParameterizedTest
  @MethodSource("prunedWhereFree")
  void prune_ofALockedRow_deletesAllOthers(Pruned pruned) throws SQLException {
    pruned.insert(database);
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      connection.setAutoCommit(false);
      statement.execute(
          "SELECT 1 FROM %s FORCE INDEX (PRIMARY) WHERE %s = 2 FOR UPDATE"
              .formatted(pruned.table, pruned.number.formatted("")));
      pruned.prune.accept(parts, 10);
      connection.rollback();
    }
    assertThat(database.count(pruned.left())).isEqualTo(2);
  }

  @Test
  void sweepOfGroups_afterARefusedPart_runsTheOthers() {
    MessageId first = enqueue(true).get(0);
    assertThat(parts.get(Admission.class).admitNow()).isEqualTo(5);
    database.execute("DELETE FROM queue_message WHERE id = " + first);
    database.execute(
        "INSERT INTO queue_ordering_member (group_id, message_id) VALUES ('gone', 1000)");
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "UPDATE ON queue_ordering_group", "TRUE")) {
      assertThatThrownBy(() -> parts.get(GroupSweep.class).sweep(10)).hasMessageContaining("today");
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_ordering_member WHERE message_id = 1000"))
        .isZero();
  }

  @Test
  void sweepOfGroups_repairsThoseBehindRefusedOnes() {
    List<MessageId> ids = enqueue(true);
    assertThat(parts.get(Admission.class).admitNow()).isEqualTo(5);
    database.execute("DELETE FROM queue_message WHERE id > " + ids.get(1));
    GroupSweep sweep = parts.get(GroupSweep.class);
    String stalled = "SELECT COUNT(*) FROM queue_ordering_group WHERE needs_release = 1";
    List<String> groups =
        database.strings(
            "SELECT HEX(group_id) FROM queue_ordering_group WHERE message_id > %s ORDER BY group_id"
                .formatted(ids.get(1)));
    try (RefusingTrigger refusal =
        RefusingTrigger.on(
            database,
            "UPDATE ON queue_ordering_group",
            "HEX(OLD.group_id) <> '%s'".formatted(groups.get(2)))) {
      assertThatThrownBy(() -> sweep.sweep(2)).hasMessageContaining("not today");
      assertThat(database.count(stalled)).isZero();
      assertThat(sweep.sweep(2)).isOne();
      assertThat(database.count(stalled)).isOne();
    }
  }

  @Test
  void slots_ofADeadWorkerWhoseRowIsRefused_keepNoOthers() {
    database.execute(
        "INSERT INTO queue_slot (topic, slot, lock_id) VALUES ('order', 1, 'gone-1'),"
            + " ('order', 2, 'gone-2'), ('order', 3, 'gone-3')");
    TopicSlots slots = parts.get(TopicSlots.class);
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "UPDATE ON queue_slot", "OLD.slot = 2")) {
      assertThatThrownBy(() -> slots.freeThoseOfTheDead(new Topic("order")))
          .hasMessageContaining("not today");
    }
    assertThat(database.strings("SELECT slot FROM queue_slot WHERE lock_id <> ''"))
        .containsExactly("2");
  }

  @Test
  void cancelledBatches_behindRefusedOnes_areCancelled() {
    BatchProducer producer = BatchProducer.over(MessageProducer.create());
    List<NewMessage> one = List.of(NewMessage.of("order", new Order(1)));
    for (int i = 0; i < 11; i++) {
      MessageBatch unused =
          producer.enqueue(database.dataSource(), BatchSettings.named("import"), one);
    }
    database.execute("UPDATE queue_batch SET cancelled = 1");
    long last = database.count("SELECT MAX(id) FROM queue_message");
    Batches batches = parts.get(Batches.class);
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "DELETE ON queue_message", "OLD.id <> " + last)) {
      assertThatThrownBy(batches::sweep).hasMessageContaining("not today");
      assertThat(batches.sweep()).isOne();
    }
    assertThat(database.count("SELECT MAX(id) FROM queue_message")).isLessThan(last);
    database.execute("DELETE FROM queue_message", "DELETE FROM queue_batch");
  }

  private void insertExpiredWorkers(int count) {
    for (int number = 1; number <= count; number++) {
      database.execute(
          "INSERT INTO queue_worker (lock_id, host, pid, is_alive, lease_until, version, topics,"
              + " started_at, updated_at) VALUES ('gone-%02d', 'gone', 1, 1, UTC_TIMESTAMP(6) -"
                  .formatted(number)
              + " INTERVAL 1 SECOND, 'v', 'order', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))");
    }
  }

  /** A pass ends after ten that are refused. */
  @Test
  void declareDead_afterManyThatAreRefused_declaresTheOthers() {
    insertExpiredWorkers(12);
    Reaper reaper = parts.get(Reaper.class);
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "UPDATE ON queue_worker", "OLD.lock_id < 'gone-11'")) {
      assertThatThrownBy(reaper::declareDead).hasMessageContaining("not today");
      assertThat(reaper.declareDead()).isEqualTo(2);
    }
    database.execute("UPDATE queue_worker SET is_alive = 0");
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "DELETE ON queue_worker", "OLD.lock_id < 'gone-11'")) {
      assertThatThrownBy(reaper::removeDead).hasMessageContaining("not today");
      assertThat(reaper.removeDead()).isEqualTo(2);
    }
  }

  @Test
  void declareDead_declaresAllOthers() {
    insertExpiredWorkers(3);
    try (RefusingTrigger refusal =
        RefusingTrigger.on(database, "UPDATE ON queue_worker", "OLD.lock_id = 'gone-02'")) {
      assertThat(parts.get(Reaper.class).declareDead()).isEqualTo(2);
      assertThat(parts.get(Reaper.class).removeDead()).isEqualTo(2);
    }
  }
}
