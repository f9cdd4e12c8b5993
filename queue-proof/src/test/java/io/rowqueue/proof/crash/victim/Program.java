package io.rowqueue.proof.crash.victim;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.QueueCoreModule;
import io.rowqueue.archive.Archive;
import io.rowqueue.body.BodySweep;
import io.rowqueue.body.StoredBodySweep;
import io.rowqueue.database.ServerDialect;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.deduplicate.DeduplicationKeys;
import io.rowqueue.enqueue.BatchProducer;
import io.rowqueue.enqueue.ChainProducer;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.enqueue.Publication;
import io.rowqueue.message.BatchSettings;
import io.rowqueue.message.Chain;
import io.rowqueue.message.Deduplication;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.PayloadCodec;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Topics;
import io.rowqueue.operate.Workers;
import io.rowqueue.order.AfterDeadLetter;
import io.rowqueue.order.LineSweep;
import io.rowqueue.proof.MemoryStore;
import io.rowqueue.proof.crash.victim.Step.What;
import io.rowqueue.result.ResultPruning;
import io.rowqueue.result.Waiters;
import io.rowqueue.schedule.Schedule;
import io.rowqueue.schedule.Schedules;
import io.rowqueue.subscribe.Subscriptions;
import java.io.ByteArrayInputStream;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;

/** A program that is killed while it produces, or does what operators do. */
public final class Program {

  /** How many messages the producer enqueues in its transaction. */
  public static final int PRODUCED = 3;

  /** A topic that no worker of the test has. */
  public static final Topic ELSEWHERE = new Topic("elsewhere");

  /** The name of the schedule that operators change. */
  public static final String SCHEDULE = "nightly";

  /** What is published under. */
  public static final String SOURCE = "published";

  /** The lock_id of the worker that is asked to drain. */
  public static final String DRAINED = "gone-1-0000000000000";

  /** Every message's key, which is the one that replaces it. */
  public static final String KEY =
      "INSERT INTO queue_deduplication (dedup_id, topic, dedup_key, message_id, version,"
          + " updated_at) SELECT UNHEX(LEFT(SHA2(CONCAT(topic, CHAR(0), 'key'), 256), 32)), topic,"
          + " 'key', id, 1, UTC_TIMESTAMP(6) FROM queue_message";

  private Program() {}

  /**
   * Runs it.
   *
   * @param arguments the JDBC URL, and {@code produce} {@code publish}, or the label of an
   *     operator's transition
   */
  public static void main(String[] arguments) throws SQLException {
    KillProbe probe = KillProbe.ofEnvironment();
    try (Connection connection = DriverManager.getConnection(arguments[0])) {
      if (arguments[1].equals("produce")) {
        produce(connection, probe, Collections.nCopies(PRODUCED, message()));
      } else if (arguments[1].equals("produce-under-keys")) {
        produce(connection, probe, messagesUnderKeys());
      } else if (arguments[1].equals("produce-streamed")) {
        produce(connection, probe, Collections.nCopies(PRODUCED, streamed()));
      } else if (arguments[1].equals("produce-in-line")) {
        produce(connection, probe, Collections.nCopies(PRODUCED, message().withOrderingKey("k")));
      } else if (arguments[1].equals("replace")) {
        replace(connection, probe);
      } else if (arguments[1].equals("produce-batch")) {
        produceBatch(connection, probe);
      } else if (arguments[1].equals("produce-chain")) {
        produceChain(connection, probe);
      } else if (arguments[1].equals("publish")) {
        publish(connection, probe);
      } else {
        operate(arguments[1], arguments[0], connection, probe);
      }
    }
  }

  private static NewMessage message() {
    return NewMessage.of(Step.TOPIC, new Step(What.SUCCEED));
  }

  /** The same in three chunks, most of which is blank. */
  private static NewMessage streamed() {
    byte[] step = PayloadCodec.json().encode(new Step(What.SUCCEED));
    byte[] padded = Arrays.copyOf(step, 600_000);
    Arrays.fill(padded, step.length, padded.length, (byte) ' ');
    return NewMessage.streamed(Step.TOPIC, () -> new ByteArrayInputStream(padded));
  }

  private static List<NewMessage> messagesUnderKeys() {
    return IntStream.range(0, PRODUCED)
        .mapToObj(key -> message().withDeduplication(Deduplication.whileAlive("key-" + key)))
        .toList();
  }

  /** As a team writes it: its own connection, its own transaction, its own COMMIT. */
  private static void produce(
      Connection connection, TransactionProbe probe, List<NewMessage> messages)
      throws SQLException {
    connection.setAutoCommit(false);
    DSLContext dsl = Transactions.dsl(connection, ServerDialect.of(connection));
    for (MessageId id : MessageProducer.create().enqueueAll(connection, messages)) {
      dsl.execute("INSERT INTO enqueued (message_id) VALUES (?)", id.value());
    }
    commit(connection, probe);
  }

  /** A message that is there already. */
  private static void replace(Connection connection, TransactionProbe probe) throws SQLException {
    connection.setAutoCommit(false);
    MessageProducer.create()
        .enqueue(
            connection,
            message()
                .withPriority(-7)
                .withDeduplication(Deduplication.whileWaiting("key").replacing()));
    commit(connection, probe);
  }

  private static void commit(Connection connection, TransactionProbe probe) throws SQLException {
    probe.beforeCommit(Transition.ENQUEUE);
    connection.commit();
    probe.afterCommit(Transition.ENQUEUE);
  }

  private static void produceBatch(Connection connection, TransactionProbe probe)
      throws SQLException {
    connection.setAutoCommit(false);
    BatchProducer.over(MessageProducer.create())
        .enqueue(connection, BatchSettings.defaults(), Collections.nCopies(PRODUCED, message()));
    book(connection, probe, Transition.BATCH_ADD);
  }

  private static void produceChain(Connection connection, TransactionProbe probe)
      throws SQLException {
    connection.setAutoCommit(false);
    ChainProducer.over(MessageProducer.create()).enqueue(connection, Chain.of(message()));
    book(connection, probe, Transition.CHAIN_BEGIN);
  }

  private static void book(Connection connection, TransactionProbe probe, Transition transition)
      throws SQLException {
    Transactions.dsl(connection, ServerDialect.of(connection))
        .execute("INSERT INTO enqueued (message_id) SELECT id FROM queue_message");
    probe.beforeCommit(transition);
    connection.commit();
    probe.afterCommit(transition);
  }

  private static void publish(Connection connection, TransactionProbe probe) throws SQLException {
    connection.setAutoCommit(false);
    DSLContext dsl = Transactions.dsl(connection, ServerDialect.of(connection));
    Publication made =
        MessageProducer.create()
            .publish(connection, NewMessage.of(SOURCE, new Step(What.SUCCEED)))
            .requireCopies();
    for (MessageId id : made.copies().values()) {
      dsl.execute("INSERT INTO enqueued (message_id) VALUES (?)", id.value());
    }
    probe.beforeCommit(Transition.PUBLISH);
    connection.commit();
    probe.afterCommit(Transition.PUBLISH);
  }

  private static DataSource dataSource(String url) {
    MysqlDataSource dataSource = new MysqlDataSource();
    dataSource.setUrl(url);
    return dataSource;
  }

  private static void operate(
      String what, String url, Connection connection, TransactionProbe probe) {
    Injector core =
        Guice.createInjector(new QueueCoreModule(), new CoreSurroundings(dataSource(url), probe));
    Messages messages = core.getInstance(Messages.class);
    Topics topics = core.getInstance(Topics.class);
    Schedules schedules = core.getInstance(Schedules.class);
    Subscriptions subscriptions = core.getInstance(Subscriptions.class);
    switch (what) {
      case "redrive" ->
          core.getInstance(DeadLetters.class).redrive(id(connection, "queue_dead_letter"));
      case "discard" ->
          core.getInstance(DeadLetters.class)
              .discardAll(List.of(id(connection, "queue_dead_letter")));
      case "cancel" -> messages.cancel(id(connection, "queue_message"));
      case "ask-cancel" -> messages.askCancel(id(connection, "queue_message"), "ada");
      case "reschedule" ->
          messages.reschedule(id(connection, "queue_message"), Duration.ofSeconds(1));
      case "prioritize" -> messages.prioritize(id(connection, "queue_message"), -7);
      case "pause" -> topics.pause(ELSEWHERE);
      case "resume" -> topics.resume(ELSEWHERE);
      case "keep" -> topics.keep(ELSEWHERE, 7);
      case "limit" -> topics.limitInFlight(ELSEWHERE, 3);
      case "order" -> topics.afterDeadLetter(ELSEWHERE, AfterDeadLetter.SET_ASIDE);
      case "drain" -> core.getInstance(Workers.class).drain(DRAINED);
      case "prune" -> core.getInstance(Archive.class).prune(10);
      case "prune-keys" -> core.getInstance(DeduplicationKeys.class).prune(10);
      case "register-waiter" -> core.getInstance(Waiters.class).register("waiter-1", 7, "server");
      case "prune-results" -> core.getInstance(ResultPruning.class).prune(10);
      case "sweep-bodies" -> core.getInstance(BodySweep.class).sweepAll(10);
      case "sweep-stored" ->
          StoredBodySweep.over(core.getInstance(Transactions.class), Set.of(new MemoryStore()))
              .sweepRows(10);
      case "batch-seal" -> core.getInstance(Batches.class).seal(1);
      case "batch-cancel" -> core.getInstance(Batches.class).cancel(1);
      case "batch-recount" -> core.getInstance(Batches.class).recount(1);
      case "batch-prune" -> core.getInstance(Batches.class).prune(10);
      case "chain-cancel" -> core.getInstance(Chains.class).cancel(1);
      case "sweep-lines" -> core.getInstance(LineSweep.class).sweep(10);
      case "prune-lines" -> core.getInstance(LineSweep.class).prune(10);
      case "schedule-set" ->
          schedules.set(
              Schedule.every(SCHEDULE, Duration.ofHours(1))
                  .enqueues(NewMessage.of(ELSEWHERE, "p")));
      case "schedule-pause" -> schedules.pause(SCHEDULE);
      case "schedule-resume" -> schedules.resume(SCHEDULE);
      case "schedule-remove" -> schedules.remove(SCHEDULE);
      case "schedule-run" -> schedules.runNow(SCHEDULE);
      case "subscribe" -> subscriptions.subscribe(SOURCE, ELSEWHERE.name());
      case "unsubscribe" -> subscriptions.unsubscribe(SOURCE, ELSEWHERE.name());
      case "mute" -> subscriptions.mute(SOURCE, ELSEWHERE.name());
      case "unmute" -> subscriptions.unmute(SOURCE, ELSEWHERE.name());
      default -> throw new IllegalArgumentException(what);
    }
  }

  private static MessageId id(Connection connection, String table) {
    return new MessageId(
        Transactions.dsl(connection, SQLDialect.MYSQL)
            .fetchSingle("SELECT id FROM " + table)
            .get(0, Long.class));
  }
}
