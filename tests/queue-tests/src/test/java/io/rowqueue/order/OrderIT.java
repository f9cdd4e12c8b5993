package io.rowqueue.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimLostException;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.InvalidMessageException;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

@QueueTest
class OrderIT {

  private final QueueDatabase database;
  private final Lined line;

  OrderIT(QueueDatabase database) {
    this.database = database;
    this.line = new Lined(database);
  }

  @Test
  void laterCalls_joinTheLine_whetherItsHeadIsBusyOrNot() {
    MessageId first = line.enqueue("a").get(0);
    Claim head = line.claimOnly(first);
    List<MessageId> others = line.enqueue("a", "a");
    assertThat(line.claim()).isEmpty();
    assertThat(line.states()).containsExactly(1, 3, 3);
    line.ack(head);
    line.ack(line.claimOnly(others.get(0)));
    line.ack(line.claimOnly(others.get(1)));
    line.assertEmpty();

    line.ack(line.claimOnly(line.enqueue("a").get(0)));
    line.assertEmpty();
  }

  /** The one that ends the head sees what has arrived, whether a worker has admitted it or not. */
  @Test
  void ack_letsGoWhatNobodyHasSeenYet() {
    Claim head = line.claimOnly(line.enqueue("a").get(0));
    MessageId next = line.enqueue("a").get(0);
    assertThat(line.states()).containsExactly(1, 4);
    line.ack(head);
    assertThat(line.freed()).containsExactly(next);
  }

  /** By whoever made it available, with all that a claim needs to know. */
  @Test
  void headsThatAreLetGo_areOfferedToTheirOwnWorker() {
    List<MessageId> ids = line.enqueue("a", "a", "b");
    assertThat(line.claimOffers()).isEmpty();
    line.admit();
    List<Claim> heads = line.claimOffers();
    assertThat(heads).extracting(Claim::id).containsExactly(ids.get(0), ids.get(2));

    line.ack(heads.get(0));
    List<Claim> next = line.claimOffers();
    assertThat(next).extracting(Claim::id).containsExactly(ids.get(1));

    line.ack(next.get(0));
    assertThat(line.claimOffers()).isEmpty();
  }

  @Test
  void keys_differByCaseAndBlanks_andTopicsHaveTheirOwn() {
    List<MessageId> ids = line.enqueue("a", "A", "a ", "é");
    MessageId other =
        line.producer()
            .enqueue(
                database.dataSource(),
                NewMessage.of("other", new Handlers.Order(1)).withOrderingKey("a"));
    assertThat(line.claim()).extracting(Claim::id).containsExactlyElementsOf(ids);
    assertThat(database.count("SELECT state FROM queue_message WHERE id = " + other)).isZero();
  }

  @Test
  void cancel_ofEachPlaceInLine_leavesTheOthersInOrder() {
    List<MessageId> ids = line.enqueue("a", "a", "a", "a");
    line.messages().cancel(ids.get(0));
    assertThat(line.states()).containsExactly(3, 3, 3);
    line.admit();
    assertThat(line.states()).containsExactly(0, 3, 3);
    line.messages().cancel(ids.get(2));
    line.messages().cancel(ids.get(1));
    line.ack(line.claimOnly(ids.get(3)));
    line.assertEmpty();
  }

  @Test
  void cancel_ofTheHeadWhileItRuns_letsTheNextGo() {
    List<MessageId> ids = line.enqueue("a", "a");
    assertThat(line.settler().cancel(line.claimOnly(ids.get(0)))).isTrue();
    assertThat(line.freed()).containsExactly(ids.get(1));
  }

  @Test
  void reschedule_putsTheHeadOffWithItsLine_andIsRefusedBehindIt() {
    List<MessageId> ids = line.enqueue("a", "a");
    assertThatThrownBy(() -> line.messages().reschedule(ids.get(1), Duration.ofHours(1)))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("waits in line");
    line.admit();
    line.messages().reschedule(ids.get(0), Duration.ofHours(1));
    assertThat(line.claim()).isEmpty();
    line.messages().reschedule(ids.get(0), Duration.ZERO);
    line.ack(line.claimOnly(ids.get(0)));
    assertThat(line.freed()).containsExactly(ids.get(1));
  }

  @Test
  void dueTimeThatHasPassed_isNoDueTime() {
    Instant past = Instant.now().minusSeconds(3_600);
    List<MessageId> ids =
        line.producer()
            .enqueueAll(
                database.dataSource(),
                List.of(Lined.message("a"), Lined.message("a").withDueAt(past)));
    assertThat(line.states()).containsExactly(4, 3);
    line.ack(line.claimOnly(ids.get(0)));
    assertThat(line.freed()).containsExactly(ids.get(1));
  }

  @Test
  void lostClaim_letsNobodyGo() {
    List<MessageId> ids = line.enqueue("a", "a");
    Claim lost = line.claimOnly(ids.get(0));
    database.execute("UPDATE queue_message SET state = 0, lock_id = '' WHERE state = 1");
    Claim again = line.claimOnly(ids.get(0));
    assertThatThrownBy(() -> line.ack(lost)).isInstanceOf(ClaimLostException.class);
    assertThat(line.settler().ackAll(List.of(lost))).isZero();
    assertThat(line.claim()).isEmpty();
    line.ack(again);
    assertThat(line.freed()).containsExactly(ids.get(1));
  }

  @Test
  void rolledBackEnqueue_leavesTheLineAsItWas() throws SQLException {
    MessageId first = line.enqueue("a").get(0);
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      line.producer().enqueue(connection, Lined.message("a"));
      connection.rollback();
    }
    line.ack(line.claimOnly(first));
    line.assertEmpty();
  }

  /** A producer whose COMMIT is still to come holds up nobody but producers of its key. */
  @Test
  void openProducer_holdsUpNoAck() throws SQLException {
    Claim head = line.claimOnly(line.enqueue("a").get(0));
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      MessageId next = line.producer().enqueue(connection, Lined.message("a"));
      line.ack(head);
      assertThat(line.claim()).isEmpty();
      connection.commit();
      line.ack(line.claimOnly(next));
    }
    line.assertEmpty();
  }

  @Test
  void deduplication_replacesContentAndLeavesThePlaceInLine() {
    line.enqueue("a");
    NewMessage debounced =
        Lined.message("a").withDeduplication(Deduplication.whileWaiting("d").replacing());
    MessageId second = line.producer().enqueue(database.dataSource(), debounced);
    line.admit();
    assertThat(
            line.producer()
                .enqueue(database.dataSource(), debounced.withDelay(Duration.ofHours(1))))
        .isEqualTo(second);
    assertThat(line.states()).containsExactly(0, 3);
  }

  @Test
  void plainRows_joinTheirLinesOnceTheyAreSeen() {
    database.execute(
        "INSERT INTO queue_message (topic, payload, ordering_key) VALUES ('line', '1', 'a')",
        "INSERT INTO queue_message (topic, payload, ordering_key) VALUES ('line', '2', 'a')",
        "INSERT INTO queue_message (topic, payload, ordering_key, due_at) VALUES ('line', '3', 'a',"
            + " UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)",
        "INSERT INTO queue_message (topic, payload) VALUES ('line', '4')");
    assertThat(line.states()).containsExactly(4, 4, 4, 0);
    List<Claim> claims = line.claim();
    assertThat(line.states()).containsExactly(1, 3, 2, 1);
    claims.forEach(line::ack);
    assertThat(line.states()).containsExactly(0, 2);
  }

  /** The recipe of docs/handlers.md. */
  @Test
  void plainRowsWithTheirPlaces_areInTheLineOfTheirProducers() {
    MessageId first = line.enqueue("a").get(0);
    database.execute(
        "INSERT INTO queue_order_key (order_id, version, updated_at) VALUES (UNHEX(LEFT(SHA2("
            + "CONCAT('line', CHAR(0), 'a'), 256), 32)), 1, UTC_TIMESTAMP(6)) ON DUPLICATE KEY"
            + " UPDATE version = version + 1, updated_at = UTC_TIMESTAMP(6)",
        "INSERT INTO queue_message (topic, payload, ordering_key) VALUES ('line', '7', 'a')",
        "INSERT INTO queue_order (order_id, message_id) SELECT UNHEX(LEFT(SHA2(CONCAT('line',"
            + " CHAR(0), 'a'), 256), 32)), MAX(id) FROM queue_message");
    assertThat(database.count("SELECT COUNT(*) FROM queue_order_key")).isEqualTo(1);
    assertThat(database.count("SELECT COUNT(DISTINCT order_id) FROM queue_order")).isEqualTo(1);
    line.ack(line.claimOnly(first));
    assertThat(line.freed()).hasSize(1);
  }

  @Test
  void messagesDeletedByHand_holdNobodyForEver() {
    List<MessageId> ids = line.enqueue("a", "a", "a");
    Claim head = line.claimOnly(ids.get(0));
    database.execute("DELETE FROM queue_message WHERE id = " + ids.get(1));
    line.ack(head);
    Claim last = line.claimOnly(ids.get(2));
    MessageId next = line.enqueue("a").get(0);

    database.execute("DELETE FROM queue_message WHERE id = " + last.id());
    assertThat(line.claim()).isEmpty();
    assertThat(line.sweep().sweep(10)).isEqualTo(1);
    line.ack(line.claimOnly(next));
    line.assertEmpty();
  }

  /** The first of a call announces the others, and may be gone before a worker has seen it. */
  @Test
  void firstThatIsDeletedByHandUnseen_holdsNobodyForEver() {
    List<MessageId> ids = line.enqueue("a", "a", "b", "b", "c", "c");
    assertThat(line.sweep().sweep(10)).as("lines that arrive").isZero();
    database.execute(
        "DELETE FROM queue_message WHERE id IN (%s, %s, %s)"
            .formatted(ids.get(0), ids.get(4), ids.get(5)));
    line.ack(line.claimOnly(ids.get(2)));
    line.ack(line.claimOnly(ids.get(3)));
    assertThat(line.sweep().sweep(10)).as("a and c").isEqualTo(2);
    line.ack(line.claimOnly(ids.get(1)));
    line.assertEmpty();
    assertThat(line.sweep().sweep(10)).isZero();
  }

  /** Messages with delays leave no key by which a worker knows that keys are used. */
  @Test
  void messageThatBecomesDue_isAdmittedByTheNextAdmit() {
    NewMessage delayed = Lined.message("a").withDelay(Duration.ofSeconds(1));
    MessageId id = line.producer().enqueue(database.dataSource(), delayed);
    database.advance(Duration.ofSeconds(2));
    assertThat(database.count("SELECT COUNT(*) FROM queue_order_key")).isZero();
    line.promote();
    assertThat(line.admission().admit()).as("nothing tells that keys are used").isZero();
    line.admission().promoted();
    assertThat(line.admission().admit()).isOne();
    assertThat(line.admission().admit()).isZero();
    line.ack(line.claimOnly(id));
  }

  @Test
  void prune_forgetsEmptyLinesAndIdleKeys_andNothingElse() {
    line.ack(line.claimOnly(line.enqueue("a").get(0)));
    line.claimOnly(line.enqueue("b").get(0));
    assertThat(line.sweep().prune(1)).isZero();
    database.execute("UPDATE queue_order_head SET updated_at = updated_at - INTERVAL 11 MINUTE");
    assertThat(line.sweep().prune(1)).isEqualTo(1);
    database.execute("UPDATE queue_order_key SET updated_at = updated_at - INTERVAL 25 HOUR");
    assertThat(line.sweep().prune(1)).isEqualTo(2);
    assertThat(database.strings("SELECT ordering_key FROM queue_order_head")).containsExactly("b");

    List<MessageId> later = line.enqueue("a", "a");
    line.ack(line.claimOnly(later.get(0)));
    assertThat(line.freed()).containsExactly(later.get(1));
  }

  /** What nothing should bring about, and what must not last if it does. */
  @Test
  void lineWithoutAHead_goesOn_whenItWouldBePruned() {
    List<MessageId> ids = line.enqueue("a", "a");
    line.claim();
    database.execute(
        "DELETE FROM queue_message WHERE id = " + ids.get(0),
        "UPDATE queue_order_head SET message_id = NULL, updated_at = updated_at - INTERVAL 1 HOUR");
    assertThat(line.claim()).isEmpty();
    assertThat(line.sweep().prune(10)).isZero();
    line.ack(line.claimOnly(ids.get(1)));
  }

  @Test
  void emptyAndOverlongKeys_areRefusedWithWhatToDo() {
    assertThatThrownBy(() -> Lined.message(""))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessage("the ordering key of a message to 'line' must have 1 to 255 characters, not 0");
    assertThatThrownBy(() -> Lined.message("x".repeat(256)))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("not 256");
    MessageId longest = line.enqueue("𝄞".repeat(255)).get(0);
    line.ack(line.claimOnly(longest));
  }
}
