package io.rowqueue.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.message.TopicKeyId;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.LockWaits;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

@QueueTest
class GroupLockIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  /**
   * MariaDB refuses to lock what is newer than the statement's snapshot, and so whatever takes one
   * must come after the last lock.
   */
  @Test
  void lock_ofAGroupThatChangesMeanwhile_waitsAndIsNotRefused(QueueDatabase database)
      throws Exception {
    List<TopicKeyId> groups =
        Stream.of("a", "b").map(key -> TopicKeyId.of("order", key)).sorted().toList();
    database.execute(
        "INSERT INTO queue_topic (topic, key_max_in_flight, updated_at) VALUES ('order', 4,"
            + " UTC_TIMESTAMP())");
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection holder = database.connect();
        Connection watcher = database.connect()) {
      holder.setAutoCommit(false);
      for (TopicKeyId group : groups) {
        write(
            holder,
            group,
            "INSERT INTO queue_ordering_group (topic, ordering_key, group_id,"
                + " version, updated_at) VALUES ('order', 'k', ?, 0, UTC_TIMESTAMP())");
      }
      holder.commit();
      write(
          holder,
          groups.get(1),
          "UPDATE queue_ordering_group SET version = version + 1 WHERE group_id = ?");
      AtomicInteger runs = new AtomicInteger();
      Future<List<GroupState>> locked = thread.submit(() -> lock(database, groups, runs));
      LockWaits waits = new LockWaits(watcher, database.isMariaDb());
      Await.until(
          "it waits", SOON, waits::tables, tables -> tables.contains("queue_ordering_group"));
      holder.commit();
      assertThat(locked.get(SOON.toSeconds(), TimeUnit.SECONDS))
          .extracting(GroupState::group)
          .isEqualTo(groups);
      assertThat(locked.get()).allMatch(state -> state.capacity() == 4);
      assertThat(runs).as("once, without an error").hasValue(1);
    } finally {
      thread.shutdownNow();
    }
  }

  private static List<GroupState> lock(
      QueueDatabase database, List<TopicKeyId> groups, AtomicInteger runs) {
    Transactions transactions = Transactions.on(database.dataSource());
    return transactions.run(
        Transition.ACK,
        transaction -> {
          runs.incrementAndGet();
          if (database.isMariaDb()) {
            try (Statement statement = transaction.connection().createStatement()) {
              statement.execute("SET SESSION innodb_snapshot_isolation = ON");
            }
          }
          return new JooqGroups(transactions.dialect()).lock(transaction, groups);
        });
  }

  @Test
  void message_thatBecomesDueWhileItsProducerWaits_joinsItsGroupFirst(QueueDatabase database)
      throws Exception {
    MessageProducer producer = MessageProducer.create();
    NewMessage first = NewMessage.of("order", new Order(1)).withOrderingKey("a");
    Instant soon = Instant.now().plusSeconds(1);
    List<NewMessage> both = List.of(first, first.withOrderingKey("b").withDueAt(soon));
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection holder = database.connect();
        Connection watcher = database.connect()) {
      holder.setAutoCommit(false);
      producer.enqueue(holder, first);
      Future<?> waiting = thread.submit(() -> producer.enqueueAll(database.dataSource(), both));
      LockWaits waits = new LockWaits(watcher, database.isMariaDb());
      Await.until(
          "it waits", SOON, waits::tables, tables -> tables.contains("queue_ordering_lock"));
      Await.that("it is due", SOON, () -> Instant.now().isAfter(soon));
      holder.commit();
      waiting.get(SOON.toSeconds(), TimeUnit.SECONDS);
    } finally {
      thread.shutdownNow();
    }
    assertThat(database.strings("SELECT state FROM queue_message WHERE ordering_key = 'b'"))
        .containsExactly(String.valueOf(MessageState.ARRIVING));
  }

  private static void write(Connection connection, TopicKeyId group, String sql) throws Exception {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setBytes(1, group.bytes());
      statement.executeUpdate();
    }
  }
}
