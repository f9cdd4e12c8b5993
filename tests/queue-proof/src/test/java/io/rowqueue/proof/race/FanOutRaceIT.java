package io.rowqueue.proof.race;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.EnqueueException;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publication;
import io.rowqueue.Topic;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.EachIsolation;
import io.rowqueue.tests.Isolation;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/*
 * Goal: a publication and a change of the same source never overlap: one lies wholly before the
 * other, in both isolation levels and whatever the publisher's snapshot is.
 * Method: as in RacesIT, the first is held before its COMMIT and the second is seen to wait in the
 * server; and then many at once, each with the moments of its beginning and its end.
 */
@QueueTest
class FanOutRaceIT extends RowRace {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final String SOURCE = "order.placed";
  private static final Topic STAYS = new Topic("stays");
  private static final Topic CHANGES = new Topic("changes");
  private static final int PUBLISHERS = 8;

  private final MessageProducer producer = MessageProducer.create();

  FanOutRaceIT(QueueDatabase database) {
    super(database);
  }

  /** Whoever changes it, and whether the topic gets a copy before and after that. */
  @SuppressWarnings("ImmutableEnumChecker") // It does not see that moves hold no state.
  enum Change {
    SUBSCRIBE(
        Transition.SUBSCRIBE,
        subscriptions -> subscriptions.subscribe(SOURCE, CHANGES.name()),
        false),
    UNSUBSCRIBE(
        Transition.UNSUBSCRIBE,
        subscriptions -> subscriptions.unsubscribe(SOURCE, CHANGES.name()),
        true),
    MUTE(Transition.MUTE, subscriptions -> subscriptions.pause(SOURCE, CHANGES.name()), true),
    UNMUTE(Transition.UNMUTE, subscriptions -> subscriptions.resume(SOURCE, CHANGES.name()), false);

    private final Transition transition;
    private final Consumer<Subscriptions> move;
    private final boolean copiesBefore;

    Change(Transition transition, Consumer<Subscriptions> move, boolean copiesBefore) {
      this.transition = transition;
      this.move = move;
      this.copiesBefore = copiesBefore;
    }

    private Set<Topic> topics(boolean after) {
      return copiesBefore == after ? Set.of(STAYS) : Set.of(STAYS, CHANGES);
    }

    private Change of(Subscriptions subscriptions) {
      move.accept(subscriptions);
      return this;
    }

    private void arrange(Subscriptions subscriptions) {
      subscriptions.subscribe(SOURCE, STAYS.name());
      if (this != SUBSCRIBE) {
        subscriptions.subscribe(SOURCE, CHANGES.name());
      }
      if (this == UNMUTE) {
        subscriptions.pause(SOURCE, CHANGES.name());
      }
    }
  }

  static Stream<Arguments> changesInEachIsolation() {
    return Stream.of(Change.values())
        .flatMap(
            change ->
                Stream.of(
                        Connection.TRANSACTION_READ_COMMITTED,
                        Connection.TRANSACTION_REPEATABLE_READ)
                    .map(isolation -> Arguments.of(change, isolation)));
  }

  private Subscriptions subscriptions() {
    return player.get(Subscriptions.class);
  }

  private static NewMessage message() {
    return NewMessage.of(SOURCE, "p");
  }

  /** A transaction of {@code isolation} whose snapshot is as old as can be. */
  private Connection begin(int isolation) throws SQLException {
    Connection connection = database.connect();
    Isolation.set(connection, isolation);
    connection.setAutoCommit(false);
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT COUNT(*) FROM queue_subscription");
    }
    return connection;
  }

  @ParameterizedTest
  @MethodSource("changesInEachIsolation")
  void change_concurrentWithAPublication_waitsForItsCommit(Change change, int isolation)
      throws Exception {
    change.arrange(subscriptions());
    CompletableFuture<Change> changed;
    try (Connection publisher = begin(isolation)) {
      assertThat(producer.publish(publisher, message()).copies().keySet())
          .isEqualTo(change.topics(false));
      changed = external.waiting("queue_publication_lock", () -> change.of(subscriptions()));
      assertThat(producer.publish(publisher, message()).copies().keySet())
          .as("a second call of the same transaction")
          .isEqualTo(change.topics(false));
      publisher.commit();
      ExternalBody.answer(changed);
      assertThat(producer.publish(publisher, message()).copies().keySet())
          .as("after the change has returned")
          .isEqualTo(change.topics(true));
      publisher.rollback();
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message"))
        .isEqualTo(2L * change.topics(false).size());
  }

  @ParameterizedTest
  @MethodSource("changesInEachIsolation")
  void publish_concurrentWithAChange_waitsAndSeesWhatThatLeft(Change change, int isolation)
      throws Exception {
    change.arrange(subscriptions());
    try (Connection publisher = begin(isolation)) {
      Publication publication =
          external.follows(
              change.transition,
              () -> change.of(subscriptions()),
              "queue_publication_lock",
              () -> producer.publish(publisher, message()));
      assertThat(publication.copies().keySet()).isEqualTo(change.topics(true));
      publisher.commit();
    }
    assertThat(player.gate().repetitions()).isEmpty();
  }

  /** As MariaDB is set by default from 11.6.2 on: the transaction is to be run again. */
  @Test
  void publish_withASnapshotThatIsHeldTo_isRefusedAfterAChange() throws Exception {
    assumeTrue(database.isMariaDb());
    Change.SUBSCRIBE.arrange(subscriptions());
    try (Connection publisher = database.connect();
        Statement statement = publisher.createStatement()) {
      Isolation.set(publisher, Connection.TRANSACTION_REPEATABLE_READ);
      statement.execute("SET SESSION innodb_snapshot_isolation = ON");
      publisher.setAutoCommit(false);
      statement.execute("SELECT COUNT(*) FROM queue_subscription");
      subscriptions().subscribe(SOURCE, CHANGES.name());
      assertThatThrownBy(() -> producer.publish(publisher, message()))
          .isInstanceOf(EnqueueException.class)
          .matches(TransientFailures::isTransient)
          .cause()
          .hasFieldOrPropertyWithValue("errorCode", 1020);
      publisher.rollback();
      assertThat(producer.publish(publisher, message()).copies().keySet())
          .isEqualTo(Set.of(CHANGES, STAYS));
      publisher.commit();
    }
  }

  @Test
  void publish_concurrentWithAPublication_passes() throws Exception {
    Change.SUBSCRIBE.arrange(subscriptions());
    try (Connection one = begin(Connection.TRANSACTION_REPEATABLE_READ);
        Connection two = begin(Connection.TRANSACTION_REPEATABLE_READ)) {
      producer.publish(one, message());
      producer.publish(two, message());
      two.commit();
      one.commit();
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(2);
  }

  @EachIsolation
  void changes_ofOtherSources_passAPublication(int isolation) throws Exception {
    Change.SUBSCRIBE.arrange(subscriptions());
    subscriptions().subscribe("order.kept", "before");
    subscriptions().subscribe("order.returned", "behind");
    try (Connection publisher = begin(isolation)) {
      producer.publish(publisher, message());
      assertThat(subscriptions().pause("order.kept", "before")).isTrue();
      assertThat(subscriptions().unsubscribe("order.returned", "behind")).isTrue();
      if (isolation == Connection.TRANSACTION_READ_COMMITTED) {
        subscriptions().subscribe("order.refused", "between");
      }
      publisher.commit();
    }
    assertThat(player.gate().repetitions()).isEmpty();
  }

  /** REPEATABLE READ locks the gaps beside the source's subscriptions; nobody waits there long. */
  @Test
  void subscribe_inTheGapConcurrentWithAPublication_givesWayAndComesAfterIt() throws Exception {
    Change.SUBSCRIBE.arrange(subscriptions());
    CompletableFuture<Void> subscribed;
    try (Connection publisher = begin(Connection.TRANSACTION_REPEATABLE_READ)) {
      producer.publish(publisher, message());
      subscribed =
          CompletableFuture.runAsync(() -> subscriptions().subscribe("order.refused", "new"));
      Await.that(
          "it has given way",
          SOON,
          () -> subscribed.isDone() || !player.gate().repetitions().isEmpty());
      publisher.commit();
    }
    ExternalBody.answer(subscribed);
    assertThat(subscriptions().topics("order.refused")).containsExactly(new Topic("new"));
  }

  @Test
  void subscribe_concurrentWithTheFirstPublicationInReadCommitted_doesNotWait() throws Exception {
    try (Connection publisher = begin(Connection.TRANSACTION_READ_COMMITTED)) {
      assertThat(producer.publish(publisher, message()).copies()).isEmpty();
      subscriptions().subscribe(SOURCE, CHANGES.name());
      assertThat(producer.publish(publisher, message()).copies()).containsOnlyKeys(CHANGES);
      publisher.commit();
    }
  }

  @Test
  void subscribe_whilePublicationsStayOpen_givesWayToOthers() throws Exception {
    Change.SUBSCRIBE.arrange(subscriptions());
    CompletableFuture<Change> changed;
    try (Connection publisher = begin(Connection.TRANSACTION_REPEATABLE_READ)) {
      producer.publish(publisher, message());
      changed =
          external.waiting("queue_publication_lock", () -> Change.SUBSCRIBE.of(subscriptions()));
      // Behind the change that waits: it gets its turn when that gives way.
      CompletableFuture<Publication> behind =
          CompletableFuture.supplyAsync(() -> producer.publish(database.dataSource(), message()));
      assertThat(ExternalBody.answer(behind).copies().keySet()).isEqualTo(Set.of(STAYS));
      publisher.commit();
    }
    ExternalBody.answer(changed);
    assertThat(subscriptions().topics(SOURCE)).containsExactly(CHANGES, STAYS);
  }

  @Test
  void subscribe_whileAPublicationStaysOpenForLong_saysSoAndChangesNothing() throws Exception {
    Change.SUBSCRIBE.arrange(subscriptions());
    try (Connection publisher = begin(Connection.TRANSACTION_READ_COMMITTED)) {
      producer.publish(publisher, message());
      assertThatThrownBy(() -> subscriptions().subscribe(SOURCE, CHANGES.name()))
          .isInstanceOf(DatabaseUnavailableException.class)
          .hasMessageStartingWith("subscribe of order.placed -> changes failed, and nothing has")
          .hasMessageContaining("published under 'order.placed' is still open");
      publisher.rollback();
    }
    assertThat(player.gate().repetitions()).hasSize(8);
    assertThat(subscriptions().topics(SOURCE)).containsExactly(STAYS);
    subscriptions().subscribe(SOURCE, CHANGES.name());
    assertThat(subscriptions().topics(SOURCE)).containsExactly(CHANGES, STAYS);
  }

  /** When it began and ended, by one counter for all, and whether the topic got a copy. */
  private record Told(long begun, long ended, boolean copied) {}

  @EachIsolation
  void changes_underSteadyPublications_lieBeforeOrAfterEachOfThem(int isolation) throws Exception {
    subscriptions().subscribe(SOURCE, STAYS.name());
    AtomicLong moments = new AtomicLong();
    AtomicBoolean over = new AtomicBoolean();
    ConcurrentLinkedQueue<Told> told = new ConcurrentLinkedQueue<>();
    List<Told> changes = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(PUBLISHERS);
    try {
      List<CompletableFuture<Void>> publishers =
          Stream.generate(
                  () ->
                      CompletableFuture.runAsync(
                          () -> publishUntil(over, isolation, moments, told), threads))
              .limit(PUBLISHERS)
              .toList();
      for (int round = 0; round < 20; round++) {
        boolean subscribes = round % 2 == 0;
        long before = told.size();
        Await.that("more are published", SOON, () -> told.size() > before + PUBLISHERS);
        long begun = moments.incrementAndGet();
        if (subscribes) {
          subscriptions().subscribe(SOURCE, CHANGES.name());
        } else {
          assertThat(subscriptions().unsubscribe(SOURCE, CHANGES.name())).isTrue();
        }
        changes.add(new Told(begun, moments.incrementAndGet(), subscribes));
      }
      over.set(true);
      for (CompletableFuture<Void> publisher : publishers) {
        ExternalBody.answer(publisher);
      }
    } finally {
      over.set(true);
      threads.shutdownNow();
    }
    assertThat(told).filteredOn(Told::copied).isNotEmpty();
    assertThat(told).filteredOn(each -> !each.copied()).isNotEmpty();
    assertThat(told).allSatisfy(each -> assertInOrder(each, changes));
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'stays'"))
        .isEqualTo(told.size());
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'changes'"))
        .isEqualTo(told.stream().filter(Told::copied).count());
  }

  /** What returned before it began counts, unless something else was under way meanwhile. */
  private static void assertInOrder(Told publication, List<Told> changes) {
    boolean copied = false;
    for (Told change : changes) {
      if (change.ended < publication.begun) {
        copied = change.copied;
      } else if (change.begun < publication.ended) {
        return;
      }
    }
    assertThat(publication.copied).isEqualTo(copied);
  }

  private void publishUntil(
      AtomicBoolean over, int isolation, AtomicLong moments, ConcurrentLinkedQueue<Told> told) {
    try (Connection connection = database.connect()) {
      Isolation.set(connection, isolation);
      connection.setAutoCommit(false);
      while (!over.get()) {
        long begun = moments.incrementAndGet();
        boolean copied = producer.publish(connection, message()).copies().containsKey(CHANGES);
        connection.commit();
        told.add(new Told(begun, moments.incrementAndGet(), copied));
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
