package io.rowqueue.internal.order;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.claim.ReleasedCandidates;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.statement.Core;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Messages with ordering keys, moved by hand: a worker's parts without its threads. */
public class Lined {

  public static final Topic TOPIC = new Topic("line");
  private static final LockId ME = new LockId("host-1-line");

  protected final QueueDatabase database;
  private final Core core;
  private final MessageProducer producer = MessageProducer.create();

  public Lined(QueueDatabase database) {
    this.database = database;
    this.core = new Core(database.dataSource(), TransactionProbe.NONE);
  }

  public List<MessageId> enqueue(String... keys) {
    List<NewMessage> messages = new ArrayList<>();
    for (String key : keys) {
      messages.add(message(key));
    }
    return producer.enqueueAll(database.dataSource(), messages);
  }

  public static NewMessage message(String key) {
    return NewMessage.of(TOPIC, new Order(1)).withOrderingKey(key);
  }

  public List<Claim> claim() {
    admit();
    return core.get(ClaimStrategy.class).claim(new ClaimRequest(TOPIC, ME, 100, 100));
  }

  public void admit() {
    int rounds = 0;
    while (core.get(Admission.class).admitNow() > 0) {
      rounds++;
      assertThat(rounds).as("rounds of admission").isLessThan(100);
    }
  }

  /** Claims the one message that may be claimed, which is {@code expected}. */
  public Claim claimOnly(MessageId expected) {
    List<Claim> claims = claim();
    assertThat(claims).extracting(Claim::id).containsExactly(expected);
    return claims.get(0);
  }

  /** What may be claimed without an admission, as their predecessors have let them go. */
  public List<MessageId> freed() {
    return core.get(ClaimStrategy.class).claim(new ClaimRequest(TOPIC, ME, 100, 100)).stream()
        .map(Claim::id)
        .toList();
  }

  /** What was offered to the claimer of this process since its last look, which this is. */
  public List<Claim> claimOffers() {
    ReleasedCandidates offers = core.get(ReleasedCandidates.class);
    ClaimRequest request = new ClaimRequest(TOPIC, ME, 100, 100).among(offers.take(TOPIC, 100));
    offers.clear(List.of(TOPIC));
    return core.get(ClaimStrategy.class).claim(request);
  }

  public void ack(Claim claim) {
    core.get(Transactions.class)
        .run(
            Transition.ACK,
            tx -> {
              core.get(Settler.class).ack(tx, claim);
              return true;
            });
  }

  public void retry(Claim claim, Duration backoff) {
    assertThat(core.get(Settler.class).retry(claim, error(), backoff)).isTrue();
  }

  public void deadLetter(Claim claim) {
    assertThat(
            core.get(Settler.class).deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, error()))
        .isTrue();
  }

  private static AttemptError error() {
    return AttemptError.of(new IllegalStateException("no"));
  }

  public void promote() {
    assertThat(core.get(ClaimStore.class).promote(100)).isPositive();
  }

  public Settler settler() {
    return core.get(Settler.class);
  }

  public Messages messages() {
    return core.get(Messages.class);
  }

  public Topics topics() {
    return core.get(Topics.class);
  }

  public DeadLetters deadLetters() {
    return core.get(DeadLetters.class);
  }

  public Admission admission() {
    return core.get(Admission.class);
  }

  public GroupSweep sweep() {
    return core.get(GroupSweep.class);
  }

  public MessageProducer producer() {
    return producer;
  }

  public List<Integer> states() {
    return database.strings("SELECT state FROM queue_message ORDER BY id").stream()
        .map(Integer::valueOf)
        .toList();
  }

  /** Nobody waits, nobody is head, nothing is marked. */
  public void assertEmpty() {
    assertThat(Arrays.asList(count("queue_message"), count("queue_ordering_member")))
        .containsOnly(0L);
    assertThat(
            database.count(
                "SELECT COUNT(*) FROM queue_ordering_group WHERE message_id IS NOT NULL OR"
                    + " needs_release = 1"))
        .isZero();
  }

  private long count(String table) {
    return database.count("SELECT COUNT(*) FROM " + table);
  }
}
