package io.rowqueue.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.order.Lined;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.RefusingTrigger;
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
class KeyLimitStepsIT extends Lined {

  KeyLimitStepsIT(QueueDatabase database) {
    super(database);
  }

  private long running() {
    return database.count("SELECT COUNT(*) FROM queue_ordering_member WHERE running = 1");
  }

  private List<MessageId> claimed() {
    return claim().stream().map(Claim::id).toList();
  }

  /** As if the time at which each line may go on had come. */
  private void pass() {
    database.execute("UPDATE queue_ordering_group SET next_at = UTC_TIMESTAMP(6)");
  }

  /** As if no time passed any more. */
  private void stop() {
    assertThat(
            database.count(
                "SELECT COUNT(*) FROM queue_ordering_group WHERE next_at > UTC_TIMESTAMP(6) +"
                    + " INTERVAL 1 SECOND OR next_at < UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE"))
        .as("lines that a rate of one a second does not hold, or holds for longer")
        .isZero();
    database.execute(
        "UPDATE queue_ordering_group SET next_at = UTC_TIMESTAMP(6) + INTERVAL 10 SECOND");
  }

  @Test
  void acks_ofOneKeyTogether_letAsManyGo() {
    topics().change(TOPIC, set -> set.withKeyInFlight(3));
    List<MessageId> ids = enqueue("a", "a", "a", "a", "a", "a", "a");
    List<Claim> first = claim();
    assertThat(running()).as("beside the first of the key").isEqualTo(2);
    assertThat(settler().ackAll(first)).isEqualTo(3);
    List<Claim> next = claim();
    assertThat(next).extracting(Claim::id).containsExactlyElementsOf(ids.subList(3, 6));
    assertThat(settler().ackAll(next)).isEqualTo(3);
    ack(claimOnly(ids.get(6)));
    assertEmpty();
    assertThat(running()).isZero();
  }

  /** The topics whose limits all keys have. */
  private long applied() {
    return database.count(
        "SELECT COUNT(*) FROM queue_topic WHERE key_max_in_flight <=> key_max_in_flight_applied");
  }

  @Test
  void changedLimit_ofALockedKey_isAppliedToOthersAtOnce() throws SQLException {
    List<MessageId> ids = enqueue("a", "b", "c", "a", "b", "c");
    assertThat(claim()).hasSize(3);
    topics().change(TOPIC, set -> set.withKeyInFlight(2));
    String group =
        database
            .strings("SELECT HEX(group_id) FROM queue_ordering_group WHERE ordering_key = 'b'")
            .get(0);
    try (Connection holder = database.connect();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      statement.execute(
          "SELECT 1 FROM queue_ordering_group FORCE INDEX (PRIMARY) WHERE group_id = UNHEX('%s') FOR UPDATE"
              .formatted(group));
      assertThat(claimed()).containsExactlyInAnyOrder(ids.get(3), ids.get(5));
      assertThat(applied()).isZero();
      holder.rollback();
    }
    assertThat(claimed()).containsExactly(ids.get(4));
    assertThat(applied()).isOne();
  }

  @Test
  void changedLimit_ofARefusedKey_isAppliedToAllOthers() {
    Topic early = new Topic("early");
    NewMessage only = NewMessage.of(early, new Order(1)).withOrderingKey("only");
    producer().enqueueAll(database.dataSource(), List.of(only, only));
    List<MessageId> ids = enqueue("a", "b", "a", "b");
    assertThat(claim()).hasSize(2);
    topics().change(early, set -> set.withKeyInFlight(2));
    topics().change(TOPIC, set -> set.withKeyInFlight(2));
    try (RefusingTrigger refusal =
        RefusingTrigger.on(
            database, "UPDATE ON queue_ordering_group", "OLD.ordering_key IN ('b', 'only')")) {
      assertThatThrownBy(this::admit).hasMessageContaining("not today");
      assertThat(freed()).containsExactly(ids.get(2));
      assertThat(applied()).isZero();
    }
    Await.until(
        "the others are tried again",
        Duration.ofSeconds(30),
        () -> {
          admission().applyLimits();
          return applied();
        },
        applied -> applied == 2);
    assertThat(claimed()).containsExactly(ids.get(3));
  }

  @Test
  void messageThatIsRetriedAtOnce_orReleased_keepsItsPlace() {
    topics().change(TOPIC, set -> set.withKeyInFlight(2));
    List<MessageId> ids = enqueue("a", "a", "a");
    List<Claim> first = claim();
    retry(first.get(0), Duration.ZERO);
    assertThat(settler().release(first.get(1), Duration.ZERO)).isTrue();
    assertThat(claimed()).containsExactly(ids.get(0), ids.get(1));
  }

  @Test
  void messageThatIsReleasedForLater_givesItsPlaceUp() {
    topics().change(TOPIC, set -> set.withKeyInFlight(2));
    List<MessageId> ids = enqueue("a", "a", "a");
    List<Claim> first = claim();
    assertThat(settler().release(first.get(1), Duration.ofHours(1))).isTrue();
    assertThat(freed()).containsExactly(ids.get(2));
  }

  @Test
  void cancelled_runningAndWaiting_makeRoom() {
    topics().change(TOPIC, set -> set.withKeyInFlight(2));
    List<MessageId> ids = enqueue("a", "a", "a", "a", "a");
    List<Claim> first = claim();
    messages().cancel(ids.get(2));
    assertThat(claimed()).isEmpty();
    assertThat(settler().cancel(first.get(1))).isTrue();
    assertThat(freed()).containsExactly(ids.get(3));

    assertThat(settler().release(first.get(0), Duration.ZERO)).isTrue();
    messages().cancel(ids.get(0));
    assertThat(claimed()).containsExactly(ids.get(4));
  }

  /** Its place in the line is a row that names it, and redriven it runs in it again. */
  @Test
  void deadLetter_underALoweredLimit_holdsItsKey() {
    topics().change(TOPIC, set -> set.withKeyInFlight(2));
    List<MessageId> ids = enqueue("a", "a", "a");
    List<Claim> first = claim();
    topics().change(TOPIC, set -> set.withKeyInFlight(1));
    deadLetter(first.get(1));
    ack(first.get(0));
    assertThat(claimed()).isEmpty();
    assertThat(sweep().sweep(10)).isZero();

    assertThat(deadLetters().redrive(ids.get(1))).isTrue();
    Claim again = claimOnly(ids.get(1));
    deadLetter(again);
    topics().onDeadLetter(TOPIC, DeadLetterPolicy.SKIP);
    ack(claimOnly(ids.get(2)));
    assertThat(running()).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_ordering_group WHERE has_concurrent = 1"))
        .isZero();
  }

  @Test
  void deadLetter_thatHeldItsKey_holdsItNoMoreOnceThereIsRoom() {
    List<MessageId> ids = enqueue("a", "a", "a", "a");
    deadLetter(claimOnly(ids.get(0)));
    database.execute("INSERT INTO queue_topic (topic, key_max_in_flight) VALUES ('line', 2)");
    assertThat(claimed()).containsExactly(ids.get(1));
    assertThat(applied()).isOne();
    assertThat(sweep().sweep(10)).isOne();
    assertThat(claimed()).containsExactly(ids.get(2));
  }

  @Test
  void messageDeletedByHand_holdsItsPlaceUntilTheNextSweep() {
    topics().change(TOPIC, set -> set.withKeyInFlight(2));
    List<MessageId> ids = enqueue("a", "a", "a");
    claim();
    database.execute("DELETE FROM queue_message WHERE id = " + ids.get(1));
    assertThat(claimed()).isEmpty();
    assertThat(sweep().sweep(10)).isOne();
    assertThat(claimed()).containsExactly(ids.get(2));
    assertThat(sweep().sweep(10)).isZero();
  }

  @Test
  void next_thatSomebodyHas_isPassedByNobody_andLetGoByALaterPoll() throws SQLException {
    topics().change(TOPIC, set -> set.withKeyInFlight(2));
    List<MessageId> ids = enqueue("a", "a", "a", "a");
    List<Claim> first = claim();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.executeQuery(
          "SELECT 1 FROM queue_message WHERE id = " + ids.get(2) + " FOR UPDATE");
      assertThat(settler().ackAll(first)).isEqualTo(2);
      assertThat(freed()).isEmpty();
      connection.rollback();
    }
    assertThat(claimed()).containsExactly(ids.get(2), ids.get(3));
  }

  /** An operator who changes something of the topic holds up no ack, and none of them him. */
  @Test
  void topicsRow_isNotLockedByAcks_norDoTheyWaitForIt() throws SQLException {
    topics().change(TOPIC, set -> set.withKeyInFlight(2));
    List<MessageId> ids = enqueue("a", "a", "a");
    List<Claim> first = claim();
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.executeUpdate("UPDATE queue_topic SET key_max_in_flight = 5 WHERE topic = 'line'");
      ack(first.get(0));
      connection.rollback();
    }
    assertThat(freed()).containsExactly(ids.get(2));
  }

  @Test
  void rateThatIsTakenAway_countsNoMore() {
    topics().change(TOPIC, set -> set.withKeyPerSecond(1));
    List<MessageId> ids = enqueue("a", "a");
    Claim first = claimOnly(ids.get(0));
    stop();
    ack(first);
    assertThat(claim()).isEmpty();
    topics().change(TOPIC, set -> set.withKeyPerSecond(null));
    pass();
    ack(claimOnly(ids.get(1)));
    assertEmpty();
  }

  @Test
  void prune_keepsLinesThatRun() {
    topics().change(TOPIC, set -> set.withKeyInFlight(2));
    enqueue("a", "a");
    List<Claim> first = claim();
    ack(first.get(0));
    database.execute("UPDATE queue_ordering_group SET updated_at = '2020-01-01'");
    assertThat(sweep().prune(10)).isZero();
    ack(first.get(1));
    database.execute("UPDATE queue_ordering_group SET updated_at = '2020-01-01'");
    assertThat(sweep().prune(10)).isOne();
  }

  @Test
  void limits_areListed_andBadOnesRefused() {
    topics().change(TOPIC, set -> set.withKeyInFlight(7));
    topics().change(TOPIC, set -> set.withKeyPerSecond(9));
    assertThat(topics().list().get(0).settings().keyInFlight()).isEqualTo(7);
    assertThat(topics().list().get(0).settings().keyPerSecond()).isEqualTo(9);
    topics().change(TOPIC, set -> set.withKeyPerSecond(null));
    assertThat(topics().list().get(0).settings().keyPerSecond()).isNull();
    assertThatThrownBy(() -> topics().change(TOPIC, set -> set.withKeyInFlight(1_001)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 1,000 concurrent messages per ordering key, not 1001");

    enqueue("a", "a", "a");
    claim();
    assertThat(topics().orderingKeys(TOPIC, false, 10).get(0).concurrent()).isEqualTo(2);
  }

  @Test
  void limits_outOfReason_asPlainSqlMaySetThem_areTakenForTheNearest() {
    database.execute(
        "INSERT INTO queue_topic (topic, key_max_in_flight, key_max_per_second) VALUES ('line', -3,"
            + " 0)");
    List<MessageId> ids = enqueue("a", "a");
    Claim first = claimOnly(ids.get(0));
    stop();
    ack(first);
    assertThat(claim()).isEmpty();
    pass();
    ack(claimOnly(ids.get(1)));
  }
}
