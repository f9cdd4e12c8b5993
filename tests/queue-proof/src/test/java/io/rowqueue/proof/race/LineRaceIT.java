package io.rowqueue.proof.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.order.Admission;
import io.rowqueue.internal.order.GroupSweep;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.statement.Core;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/*
 * Goal: no line has two heads, and none stands still because two ends of it passed each other. Method: as in
 * RacesIT, the first is held before its COMMIT, and the second is seen to wait in the server, or answers.
 */
@QueueTest
class LineRaceIT extends RowRace {

  private static final String HEAD = "queue_ordering_group";

  private final MessageProducer producer = MessageProducer.create();

  LineRaceIT(QueueDatabase database) {
    super(database);
  }

  private List<MessageId> enqueue(int count) {
    return producer.enqueueAll(
        database.dataSource(),
        IntStream.range(0, count)
            .mapToObj(i -> NewMessage.of(TOPIC, "p").withOrderingKey("key"))
            .toList());
  }

  private int admit() {
    return player.get(Admission.class).admitNow();
  }

  /** Admits as a worker does, whose looks come again and again. */
  private Claim claim() {
    int rounds = 0;
    while (admit() > 0) {
      assertThat(rounds++).isLessThan(10);
    }
    List<Claim> claims = claims();
    assertThat(claims).hasSize(1);
    return claims.get(0);
  }

  private int ack(Claim claim) {
    return ack(List.of(claim));
  }

  private void assertNext(MessageId id) {
    assertThat(claim().id()).isEqualTo(id);
    assertThat(player.gate().repetitions()).isEmpty();
  }

  @Test
  void admit_concurrentWithAnAdmission_passesItsLine() throws Exception {
    enqueue(2);
    Claim head = claim();
    MessageId arrived = enqueue(1).get(0);
    assertThat(external.passes(Transition.ADMIT, this::admit, this::admit)).isZero();
    ack(head);
    ack(claim());
    assertNext(arrived);
  }

  @Test
  void ack_concurrentWithAnAckOfAnotherOfItsKey_waits_andEachLetsOneGo() throws Exception {
    player.get(Topics.class).change(TOPIC, set -> set.withKeyInFlight(2));
    enqueue(4);
    admit();
    List<Claim> two = claims();
    assertThat(two).hasSize(2);
    assertThat(external.follows(Transition.ACK, () -> ack(two.get(0)), HEAD, () -> ack(two.get(1))))
        .isOne();
    assertThat(claims()).hasSize(2);
    assertThat(player.gate().repetitions()).isEmpty();
  }

  @Test
  void applyLimits_concurrentWithAnAck_passes_andReturnsToItsGroup() throws Exception {
    enqueue(4);
    Claim head = claim();
    player.get(Topics.class).change(TOPIC, set -> set.withKeyInFlight(2));
    assertThat(external.passes(Transition.ACK, () -> ack(head), this::applyLimits)).isZero();
    assertThat(applyLimits()).isOne();
    assertThat(database.count("SELECT needs_release FROM queue_ordering_group")).isOne();
    assertThat(claims()).hasSize(2);
    assertThat(player.gate().repetitions()).isEmpty();
  }

  private int applyLimits() {
    return player.get(Admission.class).applyLimits();
  }

  /** The admission has read the old limit, and its COMMIT says that the group needs no release. */
  @Test
  void applyLimits_concurrentWithAnAdmission_passes_andReturnsToItsGroup() throws Exception {
    enqueue(4);
    Claim head = claim();
    database.execute("UPDATE queue_ordering_group SET needs_release = 1");
    assertThat(
            external.passes(
                Transition.ADMIT,
                this::admit,
                () -> {
                  player.get(Topics.class).change(TOPIC, set -> set.withKeyInFlight(3));
                  return applyLimits();
                }))
        .isZero();
    assertThat(applyLimits()).isOne();
    assertThat(admit()).isOne();
    assertThat(claims()).hasSize(2).doesNotContain(head);
  }

  @Test
  void admit_concurrentWithAnAck_passesItsLine() throws Exception {
    enqueue(1);
    Claim head = claim();
    MessageId arrived = enqueue(1).get(0);
    assertThat(external.passes(Transition.ACK, () -> ack(head), this::admit)).isZero();
    assertNext(arrived);
  }

  @Test
  void ack_concurrentWithAnAdmission_waitsAndLetsTheAdmittedGo() throws Exception {
    enqueue(1);
    Claim head = claim();
    MessageId arrived = enqueue(1).get(0);
    assertThat(external.follows(Transition.ADMIT, this::admit, HEAD, () -> ack(head))).isEqualTo(1);
    assertThat(database.strings("SELECT state FROM queue_message")).containsExactly("0");
    assertNext(arrived);
  }

  @Test
  void producer_concurrentWithAProducerOfItsKey_waitsForItsCommit() throws Exception {
    try (Connection open = database.connect()) {
      open.setAutoCommit(false);
      MessageId first = producer.enqueue(open, NewMessage.of(TOPIC, "p").withOrderingKey("key"));
      CompletableFuture<MessageId> second =
          external.waiting("queue_ordering_lock", () -> enqueue(1).get(0));
      open.commit();
      assertThat(ExternalBody.answer(second)).isGreaterThan(first);
    }
  }

  @Test
  void cancelOfTheNext_concurrentWithAnAck_waitsAndTheOneBehindItComes() throws Exception {
    List<MessageId> ids = enqueue(3);
    Claim head = claim();
    external.follows(Transition.ACK, () -> ack(head), "queue_message", () -> cancel(ids.get(1)));
    assertNext(ids.get(2));
  }

  @Test
  void ack_concurrentWithACancelOfTheNext_waitsAndTheOneBehindItComes() throws Exception {
    List<MessageId> ids = enqueue(3);
    Claim head = claim();
    external.follows(Transition.CANCEL, () -> cancel(ids.get(1)), HEAD, () -> ack(head));
    assertNext(ids.get(2));
  }

  /** It holds the message alone, and not the line. */
  @Test
  void ack_concurrentWithAnotherPriorityOfTheNext_waitsForNobody_andALookGoesOn() throws Exception {
    List<MessageId> ids = enqueue(2);
    Claim head = claim();
    assertThat(
            external.passes(
                Transition.PRIORITIZE,
                () -> {
                  player.get(Messages.class).prioritize(ids.get(1), 7);
                  return "done";
                },
                () -> ack(head)))
        .isEqualTo(1);
    assertThat(database.count("SELECT needs_release FROM queue_ordering_group")).isEqualTo(1);
    assertNext(ids.get(1));
  }

  @Test
  void admit_concurrentWithACancelOfWhatArrives_passesIt() throws Exception {
    enqueue(1);
    ack(claim());
    List<MessageId> arrived = enqueue(2);
    assertThat(external.passes(Transition.CANCEL, () -> cancel(arrived.get(0)), this::admit))
        .isZero();
    assertNext(arrived.get(1));
  }

  @Test
  void admit_concurrentWithADeadLetterThatIsSteppedOver_passesItsLine() throws Exception {
    player.get(Topics.class).onDeadLetter(TOPIC, DeadLetterPolicy.SKIP);
    List<MessageId> ids = enqueue(2);
    Claim head = claim();
    assertThat(external.passes(Transition.DEAD_LETTER, () -> deadLetter(head), this::admit))
        .isZero();
    assertNext(ids.get(1));
  }

  @Test
  void discard_concurrentWithARedrive_waitsAndFindsNothing() throws Exception {
    List<MessageId> ids = enqueue(2);
    Claim head = claim();
    assertThat(deadLetter(head)).isTrue();
    assertThat(
            external.<Integer>follows(
                Transition.REDRIVE,
                () -> player.get(DeadLetters.class).redrive(head.id()),
                "queue_dead_letter",
                () -> player.get(DeadLetters.class).discardAll(List.of(head.id()))))
        .isZero();
    ack(claim());
    assertNext(ids.get(1));
  }

  @Test
  void admit_concurrentWithAPruneOfItsLine_makesItAnew() throws Exception {
    enqueue(1);
    ack(claim());
    database.execute("UPDATE queue_ordering_group SET updated_at = updated_at - INTERVAL 1 HOUR");
    // As plain SQL leaves it, without a place: nobody seems to wait.
    database.execute(
        "INSERT INTO queue_message (topic, payload, ordering_key) VALUES ('race', '\"p\"', 'key')");
    assertThat(
            external.passes(
                Transition.PRUNE_GROUPS, () -> player.get(GroupSweep.class).prune(10), this::admit))
        .isZero();
    assertThat(database.strings("SELECT group_id FROM queue_ordering_group")).isEmpty();
    assertThat(claim().orderingKey()).isEqualTo("key");
  }

  /** The operator has written the policy by hand, and the sweep's look was before the redrive. */
  @Test
  void sweep_whosePollIsOlderThanARedrive_leavesTheHead() {
    List<MessageId> ids = enqueue(2);
    deadLetter(claim());
    database.execute(
        "INSERT INTO queue_topic (topic, skip_dead_letters, updated_at) VALUES ('race', 1,"
            + " UTC_TIMESTAMP(6))");
    AtomicInteger connections = new AtomicInteger(Integer.MAX_VALUE);
    FreshConnections between =
        new FreshConnections(
            () -> {
              if (connections.decrementAndGet() == 0) {
                assertThat(player.get(DeadLetters.class).redrive(ids.get(0))).isTrue();
                assertThat(admit()).isPositive();
              }
              return database.connect();
            });
    GroupSweep sweep = new Core(between, TransactionProbe.NONE).get(GroupSweep.class);
    connections.set(2);
    assertThat(sweep.sweep(10)).isZero();
    assertThat(connections).hasNonPositiveValue();
    assertNext(ids.get(0));
  }

  @Test
  void redrive_concurrentWithAChangeOfPolicy_isBehindIt() throws Exception {
    List<MessageId> ids = enqueue(2);
    deadLetter(claim());
    assertThat(
            external.<Boolean>follows(
                Transition.SET_DEAD_LETTER_POLICY,
                () -> {
                  player.get(Topics.class).onDeadLetter(TOPIC, DeadLetterPolicy.SKIP);
                  return true;
                },
                "queue_dead_letter",
                () -> player.get(DeadLetters.class).redrive(ids.get(0))))
        .isTrue();
    assertNext(ids.get(0));
  }
}
