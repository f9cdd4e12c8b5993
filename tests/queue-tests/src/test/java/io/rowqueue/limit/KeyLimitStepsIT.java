package io.rowqueue.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.claim.Claim;
import io.rowqueue.message.MessageId;
import io.rowqueue.order.AfterDeadLetter;
import io.rowqueue.order.Lined;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Keys with room for several of their messages at once, and with a rate, one step after another.
 */
@QueueTest
class KeyLimitStepsIT {

  private final QueueDatabase database;
  private final Lined line;

  KeyLimitStepsIT(QueueDatabase database) {
    this.database = database;
    this.line = new Lined(database);
  }

  private long running() {
    return database.count("SELECT COUNT(*) FROM queue_order_running");
  }

  private List<MessageId> claimed() {
    return line.claim().stream().map(Claim::id).toList();
  }

  /** As if the time at which each line may go on had come. */
  private void pass() {
    database.execute("UPDATE queue_order_head SET next_at = UTC_TIMESTAMP(6)");
  }

  /** As if no time passed any more. */
  private void stop() {
    assertThat(
            database.count(
                "SELECT COUNT(*) FROM queue_order_head WHERE next_at > UTC_TIMESTAMP(6) + INTERVAL"
                    + " 1 SECOND OR next_at < UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE"))
        .as("lines that a rate of one a second does not hold, or holds for longer")
        .isZero();
    database.execute("UPDATE queue_order_head SET next_at = UTC_TIMESTAMP(6) + INTERVAL 10 SECOND");
  }

  @Test
  void acks_ofOneKeyTogether_letAsManyGo() {
    line.topics().limitKeyInFlight(Lined.TOPIC, 3);
    List<MessageId> ids = line.enqueue("a", "a", "a", "a", "a", "a", "a");
    List<Claim> first = line.claim();
    assertThat(running()).as("beside the first of the key").isEqualTo(2);
    assertThat(line.settler().ackAll(first)).isEqualTo(3);
    List<Claim> next = line.claim();
    assertThat(next).extracting(Claim::id).containsExactlyElementsOf(ids.subList(3, 6));
    assertThat(line.settler().ackAll(next)).isEqualTo(3);
    line.ack(line.claimOnly(ids.get(6)));
    line.assertEmpty();
    assertThat(running()).isZero();
  }

  @Test
  void messageThatIsRetriedAtOnce_orReleased_keepsItsPlace() {
    line.topics().limitKeyInFlight(Lined.TOPIC, 2);
    List<MessageId> ids = line.enqueue("a", "a", "a");
    List<Claim> first = line.claim();
    line.retry(first.get(0), Duration.ZERO);
    assertThat(line.settler().release(first.get(1), Duration.ZERO)).isTrue();
    assertThat(claimed()).containsExactly(ids.get(0), ids.get(1));
  }

  @Test
  void messageThatIsReleasedForLater_givesItsPlaceUp() {
    line.topics().limitKeyInFlight(Lined.TOPIC, 2);
    List<MessageId> ids = line.enqueue("a", "a", "a");
    List<Claim> first = line.claim();
    assertThat(line.settler().release(first.get(1), Duration.ofHours(1))).isTrue();
    assertThat(line.freed()).containsExactly(ids.get(2));
  }

  @Test
  void cancelled_runningAndWaiting_makeRoom() {
    line.topics().limitKeyInFlight(Lined.TOPIC, 2);
    List<MessageId> ids = line.enqueue("a", "a", "a", "a", "a");
    List<Claim> first = line.claim();
    line.messages().cancel(ids.get(2));
    assertThat(claimed()).isEmpty();
    assertThat(line.settler().cancel(first.get(1))).isTrue();
    assertThat(line.freed()).containsExactly(ids.get(3));

    assertThat(line.settler().release(first.get(0), Duration.ZERO)).isTrue();
    line.messages().cancel(ids.get(0));
    assertThat(claimed()).containsExactly(ids.get(4));
  }

  /** Its place in the line is a row that names it, and redriven it runs in it again. */
  @Test
  void deadLetter_underALoweredLimit_holdsItsKey() {
    line.topics().limitKeyInFlight(Lined.TOPIC, 2);
    List<MessageId> ids = line.enqueue("a", "a", "a");
    List<Claim> first = line.claim();
    line.topics().limitKeyInFlight(Lined.TOPIC, 1);
    line.deadLetter(first.get(1));
    line.ack(first.get(0));
    assertThat(claimed()).isEmpty();
    assertThat(line.sweep().sweep(10)).isZero();

    assertThat(line.deadLetters().redrive(ids.get(1))).isTrue();
    Claim again = line.claimOnly(ids.get(1));
    line.deadLetter(again);
    line.topics().afterDeadLetter(Lined.TOPIC, AfterDeadLetter.SET_ASIDE);
    line.ack(line.claimOnly(ids.get(2)));
    assertThat(running()).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_order_head WHERE several = 1")).isZero();
  }

  @Test
  void deadLetter_thatHeldItsKey_holdsItNoMoreOnceThereIsRoom() {
    List<MessageId> ids = line.enqueue("a", "a", "a", "a");
    line.deadLetter(line.claimOnly(ids.get(0)));
    database.execute("INSERT INTO queue_topic (topic, key_in_flight) VALUES ('line', 2)");
    assertThat(claimed()).containsExactly(ids.get(1));
    assertThat(
            database.count(
                "SELECT COUNT(*) FROM queue_topic WHERE key_in_flight <=> key_in_flight_seen"))
        .isOne();
    assertThat(line.sweep().sweep(10)).isOne();
    assertThat(claimed()).containsExactly(ids.get(2));
  }

  @Test
  void messageDeletedByHand_holdsItsPlaceUntilTheNextSweep() {
    line.topics().limitKeyInFlight(Lined.TOPIC, 2);
    List<MessageId> ids = line.enqueue("a", "a", "a");
    line.claim();
    database.execute("DELETE FROM queue_message WHERE id = " + ids.get(1));
    assertThat(claimed()).isEmpty();
    assertThat(line.sweep().sweep(10)).isOne();
    assertThat(claimed()).containsExactly(ids.get(2));
    assertThat(line.sweep().sweep(10)).isZero();
  }

  @Test
  void next_thatSomebodyHas_isPassedByNobody_andLetGoByALaterLook() throws SQLException {
    line.topics().limitKeyInFlight(Lined.TOPIC, 2);
    List<MessageId> ids = line.enqueue("a", "a", "a", "a");
    List<Claim> first = line.claim();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.executeQuery(
          "SELECT 1 FROM queue_message WHERE id = " + ids.get(2) + " FOR UPDATE");
      assertThat(line.settler().ackAll(first)).isEqualTo(2);
      assertThat(line.freed()).isEmpty();
      connection.rollback();
    }
    assertThat(claimed()).containsExactly(ids.get(2), ids.get(3));
  }

  /** An operator who changes something of the topic holds up no ack, and none of them him. */
  @Test
  void topicsRow_isNotLockedByAcks_norDoTheyWaitForIt() throws SQLException {
    line.topics().limitKeyInFlight(Lined.TOPIC, 2);
    List<MessageId> ids = line.enqueue("a", "a", "a");
    List<Claim> first = line.claim();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.executeUpdate("UPDATE queue_topic SET key_in_flight = 5 WHERE topic = 'line'");
      line.ack(first.get(0));
      connection.rollback();
    }
    assertThat(line.freed()).containsExactly(ids.get(2));
  }

  @Test
  void rateThatIsTakenAway_countsNoMore() {
    line.topics().limitKeyPerSecond(Lined.TOPIC, 1);
    List<MessageId> ids = line.enqueue("a", "a");
    Claim first = line.claimOnly(ids.get(0));
    stop();
    line.ack(first);
    assertThat(line.claim()).isEmpty();
    line.topics().limitKeyPerSecondNone(Lined.TOPIC);
    pass();
    line.ack(line.claimOnly(ids.get(1)));
    line.assertEmpty();
  }

  @Test
  void prune_keepsLinesThatRun() {
    line.topics().limitKeyInFlight(Lined.TOPIC, 2);
    line.enqueue("a", "a");
    List<Claim> first = line.claim();
    line.ack(first.get(0));
    database.execute("UPDATE queue_order_head SET updated_at = '2020-01-01'");
    assertThat(line.sweep().prune(10)).isZero();
    line.ack(first.get(1));
    database.execute("UPDATE queue_order_head SET updated_at = '2020-01-01'");
    assertThat(line.sweep().prune(10)).isOne();
  }

  @Test
  void limits_areListed_andBadOnesRefused() {
    line.topics().limitKeyInFlight(Lined.TOPIC, 7);
    line.topics().limitKeyPerSecond(Lined.TOPIC, 9);
    assertThat(line.topics().list().get(0).keyLimits().inFlight()).isEqualTo(7);
    assertThat(line.topics().list().get(0).keyLimits().perSecond()).isEqualTo(9);
    line.topics().limitKeyPerSecondNone(Lined.TOPIC);
    assertThat(line.topics().list().get(0).keyLimits().perSecond()).isNull();
    assertThatThrownBy(() -> line.topics().limitKeyInFlight(Lined.TOPIC, 1_001))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 1,000 messages of a key at once, not 1001");

    line.enqueue("a", "a", "a");
    line.claim();
    assertThat(line.topics().lines(Lined.TOPIC, false, 10).get(0).beside()).isEqualTo(2);
  }

  @Test
  void limits_outOfReason_asPlainSqlMaySetThem_areTakenForTheNearest() {
    database.execute(
        "INSERT INTO queue_topic (topic, key_in_flight, key_per_second) VALUES ('line', -3, 0)");
    List<MessageId> ids = line.enqueue("a", "a");
    Claim first = line.claimOnly(ids.get(0));
    stop();
    line.ack(first);
    assertThat(line.claim()).isEmpty();
    pass();
    line.ack(line.claimOnly(ids.get(1)));
  }
}
