package io.rowqueue.proof.crash;

import io.rowqueue.database.Transition;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.crash.victim.Program;
import io.rowqueue.proof.crash.victim.Step;
import io.rowqueue.proof.crash.victim.Step.What;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.Locale;

/**
 * How a process comes to a transition, and how the database shows that it has committed. Every
 * transition has at least one; each is played three times, once for every moment of its COMMIT.
 */
enum Scene {
  ENQUEUE(Transition.ENQUEUE, "SELECT COUNT(*) = " + Program.PRODUCED + " FROM queue_message") {
    @Override
    String[] program() {
      return new String[] {"produce"};
    }
  },

  PROMOTE(Transition.PROMOTE, "SELECT COUNT(*) FROM queue_message WHERE state = 0") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(database, What.SUCCEED);
      database.execute("UPDATE queue_message SET state = 2");
    }
  },

  CLAIM(
      Transition.CLAIM,
      "SELECT COUNT(*) FROM queue_message JOIN queue_worker USING (lock_id) WHERE state = 1") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(database, What.SUCCEED);
    }
  },

  CLAIM_BY_UPDATE_LIMIT(
      Transition.CLAIM,
      "SELECT COUNT(*) FROM queue_message JOIN queue_worker USING (lock_id) WHERE state = 1") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(database, What.SUCCEED);
    }

    @Override
    String[] options() {
      return new String[] {"--claim-strategy", "update-limit"};
    }
  },

  CLAIM_BY_OPTIMISTIC(
      Transition.CLAIM,
      "SELECT COUNT(*) FROM queue_message JOIN queue_worker USING (lock_id) WHERE state = 1") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(database, What.SUCCEED);
    }

    @Override
    String[] options() {
      return new String[] {"--claim-strategy", "optimistic"};
    }
  },

  CLAIM_BY_LAST_INSERT_ID(
      Transition.CLAIM,
      "SELECT COUNT(*) FROM queue_message JOIN queue_worker USING (lock_id) WHERE state = 1") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(database, What.SUCCEED);
    }

    @Override
    String[] options() {
      return new String[] {"--claim-strategy", "last-insert-id"};
    }
  },

  START(Transition.START, "SELECT started FROM queue_message") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(database, What.SUCCEED);
      database.execute("UPDATE queue_message SET lost = 1");
    }
  },

  ACK(Transition.ACK, "SELECT COUNT(*) FROM effect") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(database, What.SUCCEED);
    }
  },

  ACK_SHARED(Transition.ACK, "SELECT COUNT(*) FROM effect") {
    @Override
    void arrange(QueueDatabase database) {
      enqueueGroup(database, Step.SHARED_TOPIC);
    }
  },

  ACK_BATCH(Transition.ACK, "SELECT COUNT(*) FROM effect") {
    @Override
    void arrange(QueueDatabase database) {
      enqueueGroup(database, Step.BATCH_TOPIC);
    }
  },

  ACK_GROUPED(Transition.ACK, "SELECT COUNT(*) < " + 20 + " FROM queue_message") {
    @Override
    void arrange(QueueDatabase database) {
      enqueueGroup(database, Step.OUTSIDE_TOPIC);
      database.execute("UPDATE enqueued SET effectless = 1");
    }
  },

  RETRY(
      Transition.RETRY,
      "SELECT COUNT(*) FROM queue_message m JOIN queue_attempt a ON a.message_id = m.id"
          + " WHERE m.state = 2 AND m.attempts = 1") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(database, What.FAIL_ONCE);
    }
  },

  RELEASE(
      Transition.RELEASE,
      "SELECT COUNT(*) FROM queue_message WHERE state = 2 AND lock_id = '' AND claims = 1 AND"
          + " attempts = 0") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(database, What.GIVE_BACK);
    }
  },

  RELEASE_AT_DRAIN(
      Transition.RELEASE,
      "SELECT COUNT(*) FROM queue_message WHERE state = 0 AND claims = 1 AND attempts = 0") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(database, What.WAIT_ONCE);
    }

    @Override
    void act(QueueDatabase database, Victim victim) {
      await(database, "SELECT COUNT(*) FROM queue_message WHERE state = 1");
      victim.terminate();
    }
  },

  DEAD_LETTER(
      Transition.DEAD_LETTER,
      "SELECT COUNT(*) FROM queue_dead_letter JOIN queue_dead_letter_attempt ON message_id = id") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(database, What.REJECT);
    }

    @Override
    String end() {
      return "dead";
    }
  },

  REGISTER(Transition.REGISTER, "SELECT COUNT(*) FROM queue_worker"),

  RENEW(Transition.RENEW, "SELECT updated_at > started_at FROM queue_worker"),

  RECONCILE(Transition.RECONCILE, "SELECT COUNT(*) FROM queue_message WHERE state = 0") {
    @Override
    void act(QueueDatabase database, Victim victim) {
      await(database, "SELECT COUNT(*) FROM queue_worker");
      enqueue(
          database,
          What.SUCCEED,
          "UPDATE queue_message SET state = 1, claims = 1,"
              + " lock_id = (SELECT lock_id FROM queue_worker)");
    }
  },

  HAND_BACK(
      Transition.HAND_BACK, "SELECT COUNT(*) FROM queue_message WHERE state = 2 AND claims = 1") {
    @Override
    void act(QueueDatabase database, Victim victim) {
      await(database, "SELECT COUNT(*) FROM queue_worker");
      // As a plain SQL INSERT with a due time leaves it: available, and due later.
      enqueue(
          database,
          What.SUCCEED,
          "UPDATE queue_message SET due_at = UTC_TIMESTAMP(6) + INTERVAL 2 SECOND");
    }
  },

  DECLARE_DEAD(Transition.DECLARE_DEAD, "SELECT alive = 0 FROM queue_worker WHERE host = 'gone'") {
    @Override
    void arrange(QueueDatabase database) {
      deadWorker(database, 1);
      claimedByTheDead(database, "");
    }
  },

  REAP(
      Transition.REAP,
      "SELECT COUNT(*) FROM queue_message WHERE state = 0 AND lock_id = '' AND lost = 1") {
    @Override
    void arrange(QueueDatabase database) {
      deadWorker(database, 0);
      claimedByTheDead(database, "");
    }
  },

  REAP_INTO_QUARANTINE(
      Transition.REAP, "SELECT COUNT(*) FROM queue_dead_letter WHERE reason = 'claims-lost'") {
    @Override
    void arrange(QueueDatabase database) {
      deadWorker(database, 0);
      claimedByTheDead(database, ", lost = 2, started = 1");
    }

    @Override
    String end() {
      return "dead";
    }
  },

  DEREGISTER(
      Transition.DEREGISTER,
      "SELECT COUNT(*) = 0 AND (SELECT COUNT(*) FROM effect) = 1 FROM queue_worker") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(database, What.SUCCEED);
    }

    @Override
    void act(QueueDatabase database, Victim victim) {
      await(database, "SELECT COUNT(*) FROM effect");
      victim.terminate();
    }
  },

  DEREGISTER_THE_DEAD(
      Transition.DEREGISTER, "SELECT COUNT(*) = 0 FROM queue_worker WHERE host = 'gone'") {
    @Override
    void arrange(QueueDatabase database) {
      deadWorker(database, 0);
    }
  },

  REDRIVE(Transition.REDRIVE, "SELECT COUNT(*) FROM queue_message") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(
          database,
          What.SUCCEED,
          "INSERT INTO queue_dead_letter (id, topic, priority, claims, attempts, lost, reason,"
              + " detail, worker, due_at, created_at, dead_at, payload) SELECT id, topic, 0, 4, 3,"
              + " 0, 'attempts-exhausted', '', 'w', due_at, created_at, due_at, payload FROM"
              + " queue_message",
          "DELETE FROM queue_message");
    }

    @Override
    String[] program() {
      return new String[] {"redrive"};
    }

    @Override
    String endIfNotCommitted() {
      return "dead";
    }
  },

  DISCARD(Transition.DISCARD, "SELECT COUNT(*) = 0 FROM queue_dead_letter") {
    @Override
    void arrange(QueueDatabase database) {
      enqueueWithoutEffect(database);
      database.execute(
          "INSERT INTO queue_dead_letter (id, topic, priority, claims, attempts, lost, reason,"
              + " detail, worker, due_at, created_at, dead_at, payload) SELECT id, topic, 0, 4, 3,"
              + " 0, 'attempts-exhausted', '', 'w', due_at, created_at, due_at, payload FROM"
              + " queue_message",
          "DELETE FROM queue_message");
    }

    @Override
    String[] program() {
      return new String[] {"discard"};
    }

    @Override
    String endIfNotCommitted() {
      return "dead";
    }
  },

  CANCEL(Transition.CANCEL, "SELECT COUNT(*) = 0 FROM queue_message") {
    @Override
    void arrange(QueueDatabase database) {
      enqueueWithoutEffect(database);
    }

    @Override
    String[] program() {
      return new String[] {"cancel"};
    }
  },

  RESCHEDULE(Transition.RESCHEDULE, "SELECT state = 2 FROM queue_message") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(database, What.SUCCEED);
    }

    @Override
    String[] program() {
      return new String[] {"reschedule"};
    }
  },

  PRIORITIZE(Transition.PRIORITIZE, "SELECT priority = -7 FROM queue_message") {
    @Override
    void arrange(QueueDatabase database) {
      enqueue(database, What.SUCCEED);
    }

    @Override
    String[] program() {
      return new String[] {"prioritize"};
    }
  },

  PAUSE(Transition.PAUSE, "SELECT COUNT(*) FROM queue_topic WHERE paused = 1") {
    @Override
    String[] program() {
      return new String[] {"pause"};
    }
  },

  RESUME(Transition.RESUME, "SELECT COUNT(*) FROM queue_topic WHERE paused = 0") {
    @Override
    void arrange(QueueDatabase database) {
      database.execute("INSERT INTO queue_topic (topic, paused) VALUES ('elsewhere', 1)");
    }

    @Override
    String[] program() {
      return new String[] {"resume"};
    }
  },

  KEEP(Transition.KEEP, "SELECT COUNT(*) FROM queue_topic WHERE keep_days = 7") {
    @Override
    String[] program() {
      return new String[] {"keep"};
    }
  },

  DRAIN(Transition.DRAIN, "SELECT draining FROM queue_worker") {
    @Override
    void arrange(QueueDatabase database) {
      deadWorker(database, 1);
    }

    @Override
    String[] program() {
      return new String[] {"drain"};
    }
  },

  PRUNE(Transition.PRUNE, "SELECT COUNT(*) = 0 FROM queue_archive") {
    @Override
    void arrange(QueueDatabase database) {
      database.execute(
          "INSERT INTO queue_archive (id, settled_day, topic, priority, claims, attempts, lost,"
              + " worker, due_at, created_at, settled_at, payload) VALUES (1, UTC_DATE(),"
              + " 'elsewhere', 0, 1, 0, 0, 'w', UTC_TIMESTAMP(), UTC_TIMESTAMP(), UTC_TIMESTAMP(),"
              + " 'p')");
    }

    @Override
    String[] program() {
      return new String[] {"prune"};
    }
  };

  private static final int GROUP = 20;
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String DEAD = Program.DRAINED;

  private final Transition transition;
  private final String committed;

  Scene(Transition transition, String committed) {
    this.transition = transition;
    this.committed = committed;
  }

  Transition transition() {
    return transition;
  }

  /** The name as the documentation writes it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The arguments of {@link Program}, or none if a worker is to be killed. */
  String[] program() {
    return new String[0];
  }

  /** What the database holds before the victim starts. */
  void arrange(QueueDatabase database) {}

  /** More of the worker's command line. */
  String[] options() {
    return new String[0];
  }

  /** What happens once the victim runs. */
  void act(QueueDatabase database, Victim victim) {}

  /** Whether the transition has taken place, as everybody can see. */
  boolean committed(QueueDatabase database) {
    return database.strings(committed).stream().anyMatch(value -> !value.equals("0"));
  }

  /** Where its messages are once another worker has cleaned up. */
  String end() {
    return "acked";
  }

  /** The same, where the victim died before its COMMIT. */
  String endIfNotCommitted() {
    return end();
  }

  /** Enqueues one message with its entry in the books, and changes it before anybody sees it. */
  static void enqueue(QueueDatabase database, What what, String... changes) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      MessageId id =
          MessageProducer.create().enqueue(connection, NewMessage.of(Step.TOPIC, new Step(what)));
      statement.execute("INSERT INTO enqueued (message_id) VALUES (" + id + ")");
      for (String change : changes) {
        statement.execute(change);
      }
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void enqueueWithoutEffect(QueueDatabase database) {
    enqueue(
        database,
        What.SUCCEED,
        "UPDATE queue_message SET topic = '" + Step.OUTSIDE_TOPIC + "'",
        "UPDATE enqueued SET effectless = 1");
  }

  private static void enqueueGroup(QueueDatabase database, String topic) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      MessageProducer.create()
          .enqueueAll(
              connection, Collections.nCopies(GROUP, NewMessage.of(topic, new Step(What.SUCCEED))));
      statement.execute("INSERT INTO enqueued (message_id) SELECT id FROM queue_message");
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void deadWorker(QueueDatabase database, int alive) {
    database.execute(
        """
        INSERT INTO queue_worker
          (lock_id, host, pid, alive, lease_until, version, topics, started_at, updated_at)
        VALUES ('%s', 'gone', 1, %d, UTC_TIMESTAMP(6) - INTERVAL 1 SECOND, 'test', 'crash',
          UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))
        """
            .formatted(DEAD, alive));
  }

  private static void claimedByTheDead(QueueDatabase database, String more) {
    enqueue(
        database,
        What.SUCCEED,
        "UPDATE queue_message SET state = 1, claims = 1, lock_id = '" + DEAD + "'" + more);
  }

  private static void await(QueueDatabase database, String query) {
    Await.until(query, SOON, () -> database.count(query), count -> count > 0);
  }
}
