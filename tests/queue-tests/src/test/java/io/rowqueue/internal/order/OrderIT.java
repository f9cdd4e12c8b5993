package io.rowqueue.internal.order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.Deduplication;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.internal.claim.Claim;
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
class OrderIT extends Lined {

  OrderIT(QueueDatabase database) {
    super(database);
  }

  @Test
  void laterCalls_joinTheLine_whetherItsHeadIsBusyOrNot() {
    MessageId first = enqueue("a").get(0);
    Claim head = claimOnly(first);
    List<MessageId> others = enqueue("a", "a");
    assertThat(claim()).isEmpty();
    assertThat(states()).containsExactly(1, 3, 3);
    ack(head);
    ack(claimOnly(others.get(0)));
    ack(claimOnly(others.get(1)));
    assertEmpty();

    ack(claimOnly(enqueue("a").get(0)));
    assertEmpty();
  }

  /** The one that ends the head sees what has arrived, whether a worker has admitted it or not. */
  @Test
  void ack_letsGoWhatNobodyHasSeenYet() {
    Claim head = claimOnly(enqueue("a").get(0));
    MessageId next = enqueue("a").get(0);
    assertThat(states()).containsExactly(1, 4);
    ack(head);
    assertThat(freed()).containsExactly(next);
  }

  /** By whoever made it available, with all that a claim needs to know. */
  @Test
  void headsThatAreLetGo_areOfferedToTheirOwnWorker() {
    List<MessageId> ids = enqueue("a", "a", "b");
    assertThat(claimOffers()).isEmpty();
    admit();
    List<Claim> heads = claimOffers();
    assertThat(heads).extracting(Claim::id).containsExactly(ids.get(0), ids.get(2));

    ack(heads.get(0));
    List<Claim> next = claimOffers();
    assertThat(next).extracting(Claim::id).containsExactly(ids.get(1));

    ack(next.get(0));
    assertThat(claimOffers()).isEmpty();
  }

  @Test
  void keys_differByCaseAndBlanks_andTopicsHaveTheirOwn() {
    List<MessageId> ids = enqueue("a", "A", "a ", "é");
    MessageId other =
        producer()
            .enqueue(
                database.dataSource(),
                NewMessage.of("other", new Handlers.Order(1)).withOrderingKey("a"));
    assertThat(claim()).extracting(Claim::id).containsExactlyElementsOf(ids);
    assertThat(database.count("SELECT state FROM queue_message WHERE id = " + other)).isZero();
  }

  @Test
  void cancel_ofEachPlaceInLine_leavesTheOthersInOrder() {
    List<MessageId> ids = enqueue("a", "a", "a", "a");
    messages().cancel(ids.get(0));
    assertThat(states()).containsExactly(3, 3, 3);
    admit();
    assertThat(states()).containsExactly(0, 3, 3);
    messages().cancel(ids.get(2));
    messages().cancel(ids.get(1));
    ack(claimOnly(ids.get(3)));
    assertEmpty();
  }

  @Test
  void cancel_ofTheHeadWhileItRuns_letsTheNextGo() {
    List<MessageId> ids = enqueue("a", "a");
    assertThat(settler().cancel(claimOnly(ids.get(0)))).isTrue();
    assertThat(freed()).containsExactly(ids.get(1));
  }

  @Test
  void reschedule_putsTheHeadOffWithItsLine_andIsRefusedBehindIt() {
    List<MessageId> ids = enqueue("a", "a");
    assertThatThrownBy(() -> messages().reschedule(ids.get(1), Duration.ofHours(1)))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("an earlier message blocks its ordering key");
    admit();
    messages().reschedule(ids.get(0), Duration.ofHours(1));
    assertThat(claim()).isEmpty();
    messages().reschedule(ids.get(0), Duration.ZERO);
    ack(claimOnly(ids.get(0)));
    assertThat(freed()).containsExactly(ids.get(1));
  }

  @Test
  void dueTimeThatHasPassed_isNoDueTime() {
    Instant past = Instant.now().minusSeconds(3_600);
    List<MessageId> ids =
        producer()
            .enqueueAll(database.dataSource(), List.of(message("a"), message("a").withDueAt(past)));
    assertThat(states()).containsExactly(4, 3);
    ack(claimOnly(ids.get(0)));
    assertThat(freed()).containsExactly(ids.get(1));
  }

  @Test
  void lostClaim_letsNobodyGo() {
    List<MessageId> ids = enqueue("a", "a");
    Claim lost = claimOnly(ids.get(0));
    database.execute("UPDATE queue_message SET state = 0, lock_id = '' WHERE state = 1");
    Claim again = claimOnly(ids.get(0));
    assertThatThrownBy(() -> ack(lost)).isInstanceOf(ClaimLostException.class);
    assertThat(settler().ackAll(List.of(lost))).isZero();
    assertThat(claim()).isEmpty();
    ack(again);
    assertThat(freed()).containsExactly(ids.get(1));
  }

  @Test
  void rolledBackEnqueue_leavesTheLineAsItWas() throws SQLException {
    MessageId first = enqueue("a").get(0);
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      producer().enqueue(connection, message("a"));
      connection.rollback();
    }
    ack(claimOnly(first));
    assertEmpty();
  }

  /** A producer whose COMMIT is still to come holds up nobody but producers of its key. */
  @Test
  void openProducer_holdsUpNoAck() throws SQLException {
    Claim head = claimOnly(enqueue("a").get(0));
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      MessageId next = producer().enqueue(connection, message("a"));
      ack(head);
      assertThat(claim()).isEmpty();
      connection.commit();
      ack(claimOnly(next));
    }
    assertEmpty();
  }

  @Test
  void deduplication_replacesContentAndLeavesThePlaceInLine() {
    enqueue("a");
    NewMessage debounced =
        message("a").withDeduplication(Deduplication.whileWaiting("d").replacing());
    MessageId second = producer().enqueue(database.dataSource(), debounced);
    admit();
    assertThat(producer().enqueue(database.dataSource(), debounced.withDelay(Duration.ofHours(1))))
        .isEqualTo(second);
    assertThat(states()).containsExactly(0, 3);
  }

  @Test
  void plainRows_joinTheirLinesOnceTheyAreSeen() {
    database.execute(
        "INSERT INTO queue_message (topic, payload, ordering_key) VALUES ('line', '1', 'a')",
        "INSERT INTO queue_message (topic, payload, ordering_key) VALUES ('line', '2', 'a')",
        "INSERT INTO queue_message (topic, payload, ordering_key, due_at) VALUES ('line', '3', 'a',"
            + " UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)",
        "INSERT INTO queue_message (topic, payload) VALUES ('line', '4')");
    assertThat(states()).containsExactly(4, 4, 4, 0);
    List<Claim> claims = claim();
    assertThat(states()).containsExactly(1, 3, 2, 1);
    claims.forEach(this::ack);
    assertThat(states()).containsExactly(0, 2);
  }

  /** The recipe of docs/guides/ordering.md. */
  @Test
  void plainRowsWithTheirPlaces_areInTheLineOfTheirProducers() {
    MessageId first = enqueue("a").get(0);
    database.execute(
        "INSERT INTO queue_ordering_lock (group_id, version, updated_at) VALUES (UNHEX(LEFT(SHA2("
            + "CONCAT('line', CHAR(0), 'a'), 256), 32)), 1, UTC_TIMESTAMP(6)) ON DUPLICATE KEY"
            + " UPDATE version = version + 1, updated_at = UTC_TIMESTAMP(6)",
        "INSERT INTO queue_message (topic, payload, ordering_key) VALUES ('line', '7', 'a')",
        "INSERT INTO queue_ordering_member (group_id, message_id) SELECT"
            + " UNHEX(LEFT(SHA2(CONCAT('line', CHAR(0), 'a'), 256), 32)), MAX(id) FROM"
            + " queue_message");
    assertThat(database.count("SELECT COUNT(*) FROM queue_ordering_lock")).isEqualTo(1);
    assertThat(database.count("SELECT COUNT(DISTINCT group_id) FROM queue_ordering_member"))
        .isEqualTo(1);
    ack(claimOnly(first));
    assertThat(freed()).hasSize(1);
  }

  @Test
  void messagesDeletedByHand_holdNobodyForEver() {
    List<MessageId> ids = enqueue("a", "a", "a");
    Claim head = claimOnly(ids.get(0));
    database.execute("DELETE FROM queue_message WHERE id = " + ids.get(1));
    ack(head);
    Claim last = claimOnly(ids.get(2));
    MessageId next = enqueue("a").get(0);

    database.execute("DELETE FROM queue_message WHERE id = " + last.id());
    assertThat(claim()).isEmpty();
    assertThat(sweep().sweep(10)).isEqualTo(1);
    ack(claimOnly(next));
    assertEmpty();
  }

  /** The first of a call announces the others, and may be gone before a worker has seen it. */
  @Test
  void firstThatIsDeletedByHandUnseen_holdsNobodyForEver() {
    List<MessageId> ids = enqueue("a", "a", "b", "b", "c", "c");
    assertThat(sweep().sweep(10)).as("lines that arrive").isZero();
    database.execute(
        "DELETE FROM queue_message WHERE id IN (%s, %s, %s)"
            .formatted(ids.get(0), ids.get(4), ids.get(5)));
    ack(claimOnly(ids.get(2)));
    ack(claimOnly(ids.get(3)));
    assertThat(sweep().sweep(10)).as("a and c").isEqualTo(2);
    ack(claimOnly(ids.get(1)));
    assertEmpty();
    assertThat(sweep().sweep(10)).isZero();
  }

  /** Messages with delays leave no key by which a worker knows that keys are used. */
  @Test
  void messageThatBecomesDue_isAdmittedByTheNextAdmit() {
    NewMessage delayed = message("a").withDelay(Duration.ofSeconds(1));
    MessageId id = producer().enqueue(database.dataSource(), delayed);
    database.advance(Duration.ofSeconds(2));
    assertThat(database.count("SELECT COUNT(*) FROM queue_ordering_lock")).isZero();
    promote();
    assertThat(admission().admit()).as("nothing tells that keys are used").isZero();
    admission().promoted();
    assertThat(admission().admit()).isOne();
    assertThat(admission().admit()).isZero();
    ack(claimOnly(id));
  }

  @Test
  void prune_forgetsEmptyLinesAndIdleKeys_andNothingElse() {
    ack(claimOnly(enqueue("a").get(0)));
    claimOnly(enqueue("b").get(0));
    assertThat(sweep().prune(1)).isZero();
    database.execute(
        "UPDATE queue_ordering_group SET updated_at = updated_at - INTERVAL 11 MINUTE");
    assertThat(sweep().prune(1)).isEqualTo(1);
    database.execute("UPDATE queue_ordering_lock SET updated_at = updated_at - INTERVAL 25 HOUR");
    assertThat(sweep().prune(1)).isEqualTo(2);
    assertThat(database.strings("SELECT ordering_key FROM queue_ordering_group"))
        .containsExactly("b");

    List<MessageId> later = enqueue("a", "a");
    ack(claimOnly(later.get(0)));
    assertThat(freed()).containsExactly(later.get(1));
  }

  /** What nothing should bring about, and what must not last if it does. */
  @Test
  void lineWithoutAHead_goesOn_whenItWouldBePruned() {
    List<MessageId> ids = enqueue("a", "a");
    claim();
    database.execute(
        "DELETE FROM queue_message WHERE id = " + ids.get(0),
        "UPDATE queue_ordering_group SET message_id = NULL, updated_at = updated_at - INTERVAL 1"
            + " HOUR");
    assertThat(claim()).isEmpty();
    assertThat(sweep().prune(10)).isZero();
    ack(claimOnly(ids.get(1)));
  }

  @Test
  void emptyAndOverlongKeys_areRefusedWithWhatToDo() {
    assertThatThrownBy(() -> message(""))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessage("the ordering key of a message to 'line' must have 1 to 255 characters, not 0");
    assertThatThrownBy(() -> message("x".repeat(256)))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("not 256");
    MessageId longest = enqueue("𝄞".repeat(255)).get(0);
    ack(claimOnly(longest));
  }
}
