package io.rowqueue.proof.security;

import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.LockId;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transactions;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Topics;
import io.rowqueue.order.Admission;
import io.rowqueue.order.AfterDeadLetter;
import io.rowqueue.order.LineSweep;
import io.rowqueue.proof.statement.Core;
import io.rowqueue.settle.AttemptError;
import io.rowqueue.settle.Settler;
import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** What becomes of lines: producers' part, workers' and operators'. */
final class LinePlays {

  private static final Topic TOPIC = new Topic("play");
  private static final AttemptError ERROR = new AttemptError("E", "m", "t");

  private final QueueDatabase database;
  private final DataSource account;
  private final Core mine;
  private final Core administrator;

  LinePlays(QueueDatabase database, DataSource account) {
    this.database = database;
    this.account = account;
    this.mine = new Core(account, TransactionProbe.NONE);
    this.administrator = new Core(database.dataSource(), TransactionProbe.NONE);
  }

  void addProducers(Plays plays) {
    plays.add(
        "enqueue under a new key and under a known one",
        () -> {
          enqueue(account, 1);
          enqueue(account, 2);
        });
  }

  void addWorkers(Plays plays) {
    plays.add(
        "admit",
        () -> {
          enqueue(database.dataSource(), 2);
          Plays.hold(mine.get(Admission.class).admitNow() == 1);
        });
    plays.add(
        "ack a head",
        () -> {
          Claim head = claimed();
          Plays.hold(mine.get(Settler.class).ackAll(List.of(head)) == 1);
          Plays.hold(database.count("SELECT COUNT(*) FROM queue_message WHERE state = 0") == 1);
        });
    plays.add(
        "dead-letter a head that is stepped over",
        () -> {
          Topics.of(administrator.get(Transactions.class))
              .afterDeadLetter(TOPIC, AfterDeadLetter.SET_ASIDE);
          deadLetter(mine);
          Plays.hold(mine.get(Admission.class).admitNow() == 1);
        });
    plays.add(
        "heed a limit for each key, ack, put off and dead-letter under it",
        () -> {
          enqueue(database.dataSource(), 5);
          administrator.get(Admission.class).admitNow();
          database.execute("INSERT INTO queue_topic (topic, key_in_flight) VALUES ('play', 3)");
          Plays.hold(mine.get(Admission.class).heedLimits() == 1);
          Plays.hold(mine.get(Admission.class).admitNow() == 1);
          List<Claim> claims =
              mine.get(ClaimStrategy.class)
                  .claim(new ClaimRequest(TOPIC, LockId.create("host", 1), 3, 100));
          Plays.hold(mine.get(Settler.class).ackAll(claims.subList(0, 1)) == 1);
          Plays.hold(mine.get(Settler.class).retry(claims.get(1), ERROR, Duration.ofHours(1)));
          Plays.hold(
              mine.get(Settler.class)
                  .deadLetter(claims.get(2), DeadLetterReason.PERMANENT_FAILURE, ERROR));
          database.execute("DELETE FROM queue_message WHERE state = 0");
          Plays.hold(mine.get(LineSweep.class).sweep(10) > 0);
        });
    plays.add(
        "sweep and prune lines",
        () -> {
          database.execute(
              "INSERT INTO queue_order_head (order_id, topic, ordering_key, message_id, version,"
                  + " updated_at) VALUES (REPEAT('x', 16), 'play', 'k', 7, 1, UTC_TIMESTAMP(6)),"
                  + " (REPEAT('y', 16), 'play', 'l', NULL, 1, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)",
              "INSERT INTO queue_order_key VALUES (REPEAT('x', 16), 1, UTC_TIMESTAMP(6) - INTERVAL"
                  + " 2 DAY)");
          Plays.hold(mine.get(LineSweep.class).sweep(10) == 1);
          Plays.hold(mine.get(LineSweep.class).prune(10) == 2);
        });
  }

  void addOperators(Plays plays) {
    Topics topics = mine.get(Topics.class);
    plays.add(
        "messages cancel, in line",
        () -> mine.get(Messages.class).cancel(enqueue(database.dataSource(), 2).get(1)));
    plays.add(
        "dead-letters redrive, of a line",
        () -> Plays.hold(mine.get(DeadLetters.class).redrive(deadLetter(administrator))));
    plays.add(
        "dead-letters delete, of a line",
        () ->
            Plays.hold(
                mine.get(DeadLetters.class).discardAll(List.of(deadLetter(administrator))) == 1));
    plays.add(
        "topics order",
        () -> {
          deadLetter(administrator);
          Plays.hold(topics.lines(TOPIC, true, 10).size() == 1);
          topics.afterDeadLetter(TOPIC, AfterDeadLetter.SET_ASIDE);
          Plays.hold(topics.lines(TOPIC, true, 10).isEmpty());
        });
  }

  private static List<MessageId> enqueue(DataSource dataSource, int count) {
    return MessageProducer.create()
        .enqueueAll(
            dataSource,
            IntStream.range(0, count)
                .mapToObj(i -> NewMessage.of(TOPIC, "p").withOrderingKey("k"))
                .toList());
  }

  private Claim claimed() {
    enqueue(database.dataSource(), 2);
    Plays.hold(administrator.get(Admission.class).admitNow() == 1);
    return administrator
        .get(ClaimStrategy.class)
        .claim(new ClaimRequest(TOPIC, LockId.create("host", 1), 1, 100))
        .get(0);
  }

  private MessageId deadLetter(Core whose) {
    Claim head = claimed();
    Plays.hold(
        whose.get(Settler.class).deadLetter(head, DeadLetterReason.PERMANENT_FAILURE, ERROR));
    return head.id();
  }
}
