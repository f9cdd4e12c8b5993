package io.rowqueue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.process.Wire;
import io.rowqueue.tests.process.Wire.Loss;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.Tap.Sent;
import io.rowqueue.tests.statement.TappedConnections;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/**
 * Goal: callers that share an INSERT get what they would get alone. Method: four INSERTs are held
 * until the other callers wait, so that those share the next one.
 */
@QueueTest
class GroupCommitIT {

  private static final int ALONE = 4;
  private static final int WAITING = 6;
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String ALL = "SELECT COUNT(*) FROM queue_message";

  private final QueueDatabase database;
  private final Held held = new Held();
  private final Map<Topic, Integer> notified = new ConcurrentHashMap<>();
  private final MessageProducer producer =
      MessageProducer.create()
          .notifying(
              new WorkerNotifier() {
                @Override
                public void notifyWorkers(Map<Topic, Integer> committed) {
                  committed.forEach((topic, count) -> notified.merge(topic, count, Integer::sum));
                }

                @Override
                public void notifyWorkers(Map<Topic, Integer> committed, Connection idle) {
                  notifyWorkers(committed);
                }
              });

  GroupCommitIT(QueueDatabase database) {
    this.database = database;
  }

  /** Holds the first INSERTs, and records all. */
  private static final class Held implements Tap {

    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch groupReleased = new CountDownLatch(1);
    private final List<String> inserts = Collections.synchronizedList(new ArrayList<>());
    private final AtomicInteger openingsToFail = new AtomicInteger();
    private volatile boolean holdsGroup;

    @Override
    public void opening() throws SQLException {
      if (openingsToFail.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        throw new SQLTransientConnectionException("no connection is free");
      }
    }

    @Override
    public void before(Sent next, Connection real) throws SQLException {
      if (!next.sql().startsWith("INSERT INTO queue_message")) {
        return;
      }
      inserts.add(next.sql());
      if (inserts.size() <= ALONE) {
        await(released);
      } else if (holdsGroup) {
        await(groupReleased);
      }
    }

    private static void await(CountDownLatch latch) throws SQLException {
      try {
        assertThat(latch.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
      } catch (InterruptedException e) {
        throw new SQLException(e);
      }
    }
  }

  /** A call on a thread of its own. */
  private final class Caller {

    private final FutureTask<MessageId> task;
    private final Thread thread;

    Caller(DataSource dataSource, NewMessage message) {
      task = new FutureTask<>(() -> producer.enqueue(dataSource, message));
      thread = new Thread(task);
      thread.start();
    }

    Caller isWaiting() {
      Await.until(
          "the caller waits",
          SOON,
          () -> LockSupport.getBlocker(thread),
          blocker -> blocker instanceof GroupCommit);
      return this;
    }

    MessageId id() throws Exception {
      try {
        return task.get(SOON.toSeconds(), TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        throw (Exception) e.getCause();
      }
    }
  }

  private static NewMessage message(int number) {
    return NewMessage.of("order", number).withHeader("number", Integer.toString(number));
  }

  private DataSource tapped() {
    return TappedConnections.over(database.dataSource(), held);
  }

  private List<Caller> alone(DataSource dataSource) {
    List<Caller> alone = new ArrayList<>();
    for (int i = 0; i < ALONE; i++) {
      alone.add(new Caller(dataSource, message(100 + i)));
      Await.until("its INSERT is sent", SOON, held.inserts::size, sent -> sent == alone.size());
    }
    return alone;
  }

  private List<Caller> waiting(DataSource dataSource) {
    return IntStream.range(0, WAITING)
        .mapToObj(i -> new Caller(dataSource, message(i)).isWaiting())
        .toList();
  }

  private void assertStored(List<Caller> callers) throws Exception {
    for (int i = 0; i < callers.size(); i++) {
      assertThat(
              database.strings(
                  "SELECT headers FROM queue_message WHERE id = " + callers.get(i).id()))
          .containsExactly("{\"number\":\"%d\"}".formatted(i));
    }
  }

  @Test
  void callersThatWait_shareAnInsert_andGetTheirOwnIds() throws Exception {
    DataSource dataSource = tapped();
    List<Caller> alone = alone(dataSource);
    List<Caller> waiting = waiting(dataSource);
    held.released.countDown();
    assertStored(waiting);
    for (Caller each : alone) {
      assertThat(each.id()).isNotNull();
    }
    assertThat(held.inserts).hasSize(ALONE + 1);
    assertThat(database.count(ALL)).isEqualTo(ALONE + WAITING);
    Await.until(
        "notifications follow the commits",
        SOON,
        () -> notified.getOrDefault(new Topic("order"), 0),
        count -> count == ALONE + WAITING);
  }

  @Test
  void callerThatComesWhileAGroupIsSent_waitsForOthers() throws Exception {
    DataSource dataSource = tapped();
    held.holdsGroup = true;
    List<Caller> alone = alone(dataSource);
    List<Caller> waiting = waiting(dataSource);
    held.released.countDown();
    for (Caller each : alone) {
      assertThat(each.id()).isNotNull();
    }
    Await.until("the group is sent", SOON, held.inserts::size, inserts -> inserts == ALONE + 1);
    Caller late = new Caller(dataSource, message(WAITING)).isWaiting();
    held.groupReleased.countDown();
    assertStored(waiting);
    assertThat(late.id()).isNotNull();
    assertThat(held.inserts).hasSize(ALONE + 2);
  }

  @Test
  void insertsThatHang_delayOtherCallersBriefly() throws Exception {
    DataSource dataSource = tapped();
    List<Caller> alone = alone(dataSource);
    List<Caller> waiting = waiting(dataSource);
    assertStored(waiting);
    assertThat(new Caller(dataSource, message(1)).id()).isNotNull();
    assertThat(database.count(ALL)).isEqualTo(WAITING + 1);
    held.released.countDown();
    for (Caller each : alone) {
      assertThat(each.id()).isNotNull();
    }
    assertThat(database.count(ALL)).isEqualTo(ALONE + WAITING + 1);
  }

  @Test
  void messageThatTheServerRefuses_costsNoOtherCaller() throws Exception {
    database.execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON queue_message FOR EACH ROW BEGIN IF NEW.priority ="
            + " 5 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'refused by trigger'; END IF;"
            + " END");
    try {
      DataSource dataSource = tapped();
      List<Caller> alone = alone(dataSource);
      List<Caller> waiting = waiting(dataSource);
      Caller refused = new Caller(dataSource, message(5).withPriority(5)).isWaiting();
      held.released.countDown();
      assertThatThrownBy(refused::id)
          .isInstanceOf(EnqueueException.class)
          .isNotInstanceOf(EnqueueOutcomeUnknownException.class)
          .hasMessageContaining("refused by trigger");
      assertStored(waiting);
      for (Caller each : alone) {
        assertThat(each.id()).isNotNull();
      }
    } finally {
      database.execute("DROP TRIGGER refuse");
    }
    assertThat(database.count(ALL)).isEqualTo(ALONE + WAITING);
  }

  @Test
  void insertWithoutAReply_isUnknownToEachCaller_andThereOnce() throws Exception {
    try (Wire wire = Wire.to(database.url())) {
      DataSource dataSource =
          TappedConnections.over(
              new FreshConnections(() -> DriverManager.getConnection(wire.through(database.url()))),
              held);
      List<Caller> alone = alone(dataSource);
      List<Caller> waiting = waiting(dataSource);
      wire.loseNext("),(", Loss.BEFORE_THE_CLIENT);
      held.released.countDown();
      for (Caller each : waiting) {
        assertThatThrownBy(each::id)
            .isInstanceOf(EnqueueOutcomeUnknownException.class)
            .hasMessageContaining("all of them are in the queue, or none");
      }
      for (Caller each : alone) {
        assertThat(each.id()).isNotNull();
      }
    }
    assertThat(database.count(ALL)).isEqualTo(ALONE + WAITING);
  }

  @Test
  void callerThatIsInterrupted_writesByItself() throws Exception {
    DataSource dataSource = tapped();
    List<Caller> alone = alone(dataSource);
    AtomicInteger interrupted = new AtomicInteger();
    FutureTask<MessageId> task =
        new FutureTask<>(
            () -> {
              MessageId id = producer.enqueue(dataSource, message(1));
              interrupted.set(Thread.interrupted() ? 1 : 0);
              return id;
            });
    Thread thread = new Thread(task);
    thread.start();
    Await.until(
        "the caller waits",
        SOON,
        () -> LockSupport.getBlocker(thread),
        blocker -> blocker instanceof GroupCommit);
    thread.interrupt();
    assertThat(task.get(SOON.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    assertThat(interrupted).hasValue(1);
    assertThat(database.count(ALL)).isOne();
    held.released.countDown();
    for (Caller each : alone) {
      assertThat(each.id()).isNotNull();
    }
  }

  @Test
  void callersInATransaction_doNotWaitForOthers() throws Exception {
    AtomicInteger opened = new AtomicInteger();
    DataSource dataSource =
        TappedConnections.over(
            new FreshConnections(
                () -> {
                  Connection connection = database.connect();
                  connection.setAutoCommit(opened.incrementAndGet() <= ALONE);
                  return connection;
                }),
            held);
    List<Caller> alone = alone(dataSource);
    assertThat(new Caller(dataSource, message(1)).id()).isNotNull();
    assertThat(database.count(ALL)).isOne();
    held.released.countDown();
    for (Caller each : alone) {
      assertThat(each.id()).isNotNull();
    }
  }

  @Test
  void writerWithoutAConnection_leavesEachCallerToItself() throws Exception {
    DataSource dataSource = tapped();
    List<Caller> alone = alone(dataSource);
    List<Caller> waiting = waiting(dataSource);
    held.openingsToFail.set(1);
    held.released.countDown();
    assertStored(waiting);
    for (Caller each : alone) {
      assertThat(each.id()).isNotNull();
    }
    assertThat(held.inserts).hasSize(ALONE + WAITING);
    assertThat(database.count(ALL)).isEqualTo(ALONE + WAITING);
  }

  /** The transient error would have the whole transaction repeated. */
  @Test
  void notifierThatFails_neitherFailsNorRepeatsWhatHasCommitted() {
    MessageProducer failing = MessageProducer.create().notifying(new Failing());
    long plain = failing.enqueue(database.dataSource(), message(1)).value();
    long keyed = failing.enqueue(database.dataSource(), message(2).withOrderingKey("key")).value();
    assertThat(database.strings("SELECT id FROM queue_message ORDER BY id"))
        .containsExactly(Long.toString(plain), Long.toString(keyed));
  }

  private static final class Failing implements WorkerNotifier {

    @Override
    public void notifyWorkers(Map<Topic, Integer> committed) {
      throw new IllegalStateException(new SQLException("Deadlock found", "40001", 1213));
    }

    @Override
    public void notifyWorkers(Map<Topic, Integer> committed, Connection idle) {
      notifyWorkers(committed);
    }
  }

  /** As a data source with a schema for each tenant, which it takes from the thread. */
  @Test
  void dataSourceThatLeadsThreadsToDifferentSchemas_mixesNone() throws Exception {
    try (QueueDatabase other = QueueDatabase.create()) {
      ThreadLocal<QueueDatabase> tenant = ThreadLocal.withInitial(() -> database);
      DataSource dataSource =
          TappedConnections.over(new FreshConnections(() -> tenant.get().connect()), held);
      List<Caller> alone = alone(dataSource);
      List<Caller> waiting = waiting(dataSource);
      tenant.set(other);
      assertThat(producer.enqueue(dataSource, message(7))).isNotNull();
      assertThat(other.count(ALL)).isOne();
      held.released.countDown();
      assertStored(waiting);
      for (Caller each : alone) {
        assertThat(each.id()).isNotNull();
      }
      assertThat(other.count(ALL)).isOne();
      assertThat(database.count(ALL)).isEqualTo(ALONE + WAITING);
    }
  }
}
