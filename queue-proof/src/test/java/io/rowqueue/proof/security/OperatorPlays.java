package io.rowqueue.proof.security;

import io.rowqueue.database.Transactions;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.CancelAnswer;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Place;
import io.rowqueue.operate.Topics;
import io.rowqueue.operate.Workers;
import io.rowqueue.schema.QueueSchema;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.observe.StatusReader;
import io.rowqueue.worker.observe.WorkerReader;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/** What the operators' commands do, over their account. */
final class OperatorPlays {

  private static final Topic TOPIC = new Topic("play");
  private static final MessageId ID = new MessageId(7);

  private final QueueDatabase database;
  private final DataSource account;
  private final Transactions transactions;

  OperatorPlays(QueueDatabase database, DataSource account) {
    this.database = database;
    this.account = account;
    this.transactions = Transactions.on(account);
  }

  Plays all() {
    Plays plays = new Plays(database);
    plays.add("check the schema", () -> QueueSchema.of(transactions).check());
    plays.add("status", () -> StatusReader.of(transactions).read());
    plays.add("workers list", () -> WorkerReader.of(transactions).read());
    addDeadLetters(plays);
    addMessages(plays);
    Topics topics = Topics.of(transactions);
    plays.add("topics list", () -> topics.list());
    plays.add("topics known", () -> topics.known());
    plays.add("topics pause", () -> topics.pause(TOPIC));
    plays.add("topics resume", () -> topics.resume(TOPIC));
    plays.add("topics keep", () -> topics.keep(TOPIC, 7));
    plays.add("topics keep --none", () -> topics.keepNone(TOPIC));
    SchedulePlays schedules = new SchedulePlays(database, account);
    schedules.addTo(plays);
    schedules.addRunNow(plays);
    new SubscriptionPlays(database, account).addTo(plays);
    new LinePlays(database, account).addOperators(plays);
    new MemberPlays(database, account).addOperators(plays);
    plays.add("topics limit", () -> topics.limitInFlight(TOPIC, 3));
    plays.add("topics limit --per-second none", () -> topics.limitPerSecondNone(TOPIC));
    plays.add("topics limit --max-depth", () -> topics.limitDepth(TOPIC, 3));
    plays.add("topics limit --max-age", () -> topics.limitAge(TOPIC, Duration.ofMinutes(5)));
    plays.add(
        "workers drain",
        () -> {
          workerRow();
          Workers.of(transactions).drain("h-1-x");
        });
    return plays;
  }

  private void addDeadLetters(Plays plays) {
    DeadLetters letters = DeadLetters.of(transactions);
    plays.add("dead-letters list", () -> letters.list(TOPIC, 10));
    plays.add("dead-letters show", () -> letters.attempts(ID));
    plays.add(
        "dead-letters redrive",
        () -> {
          deadLetter();
          Plays.hold(letters.redrive(ID));
        });
    plays.add(
        "dead-letters delete",
        () -> {
          deadLetter();
          Plays.hold(letters.discardAll(List.of(ID)) == 1);
        });
  }

  private void addMessages(Plays plays) {
    Messages messages = Messages.of(transactions);
    for (Place place : List.of(Place.AVAILABLE, Place.DEAD_LETTER, Place.ARCHIVED)) {
      plays.add(
          "messages show, " + place,
          () -> {
            put(place);
            Plays.hold(messages.find(ID).place() == place);
          });
    }
    plays.add(
        "messages show, beside its row",
        () -> {
          database.execute(
              "INSERT INTO queue_body (message_id, seq, last, bytes) VALUES (7, 0, 1, 'xyz')");
          Plays.hold(messages.bytesBeside(ID).orElse(0) == 3);
        });
    plays.add(
        "messages show, in a store",
        () -> {
          database.execute(
              "INSERT INTO queue_stored_body (message_id, store, reference, bytes, sha256)"
                  + " VALUES (7, 's', 'r', 8, REPEAT('x', 32))");
          Plays.hold(messages.bytesBeside(ID).orElse(0) == 8);
        });
    plays.add(
        "messages show, in flight",
        () -> {
          claimed();
          Plays.hold(messages.find(ID).place() == Place.IN_FLIGHT);
        });
    plays.add(
        "messages cancel --running",
        () -> {
          claimed();
          Plays.hold(messages.askCancel(ID, "ada") == CancelAnswer.ASKED);
          Plays.hold(messages.askCancel(ID, "ada again") == CancelAnswer.ASKED);
        });
    plays.add(
        "messages cancel",
        () -> {
          message();
          messages.cancel(ID);
        });
    plays.add(
        "messages reschedule",
        () -> {
          message();
          messages.reschedule(ID, Duration.ofHours(1));
        });
    plays.add(
        "messages prioritize",
        () -> {
          message();
          messages.prioritize(ID, 1);
        });
  }

  private void put(Place place) {
    switch (place) {
      case DEAD_LETTER -> deadLetter();
      case ARCHIVED ->
          database.execute(
              """
              INSERT INTO queue_archive (id, settled_day, topic, priority, claims, attempts, lost,
                worker, due_at, created_at, settled_at, payload)
              VALUES (7, UTC_DATE(), 'play', 0, 1, 0, 0, 'w', UTC_TIMESTAMP(), UTC_TIMESTAMP(),
                UTC_TIMESTAMP(), 'p')
              """);
      default -> message();
    }
  }

  private void claimed() {
    message();
    database.execute("UPDATE queue_message SET state = 1, claims = 1, lock_id = 'w'");
  }

  private void message() {
    database.execute("INSERT INTO queue_message (id, topic, payload) VALUES (7, 'play', '{}')");
  }

  private void deadLetter() {
    database.execute(
        """
        INSERT INTO queue_dead_letter (id, topic, priority, claims, attempts, lost, reason, detail,
          worker, due_at, created_at, dead_at, payload)
        VALUES (7, 'play', 0, 1, 1, 0, 'permanent-failure', 'd', 'w', UTC_TIMESTAMP(),
          UTC_TIMESTAMP(), UTC_TIMESTAMP(), '{}')
        """);
  }

  private void workerRow() {
    database.execute(
        """
        INSERT INTO queue_worker (lock_id, host, pid, lease_until, version, topics, started_at,
          updated_at)
        VALUES ('h-1-x', 'h', 1, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR, 't', 'play', UTC_TIMESTAMP(),
          UTC_TIMESTAMP())
        """);
  }
}
