package io.rowqueue.internal.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.MessageId;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.internal.progress.ProgressStore.ProgressReport;
import io.rowqueue.operate.MessageProgress;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.internal.dispatch.CommitCounter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class ProgressIT {

  private static final String ROWS = "SELECT COUNT(*) FROM queue_progress";

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
    database.execute("DELETE FROM queue_progress");
  }

  /** Its effect is nobody's to see, and how far it is everybody's. */
  @Test
  void progress_isSeenWhileTheHandlersTransactionIsOpen(QueueDatabase database) {
    MessageId id = Orders.enqueue(database, 1);
    CountDownLatch end = new CountDownLatch(1);
    try (TestWorker worker =
        Orders.handledBy(
            database,
            (order, context) -> {
              Orders.write(order, context);
              context.progress(16, 40, "part-16");
              context.progress(17, 40, "part-17");
              end.await();
            })) {
      Messages messages = QueueOperations.of(database.dataSource()).messages();
      MessageProgress seen =
          Await.until(
              "somebody else sees it",
              Orders.SOON,
              () -> messages.find(id).progress(),
              Objects::nonNull);
      assertThat(seen.done()).isEqualTo(17);
      assertThat(seen.total()).isEqualTo(40);
      assertThat(seen.note()).isEqualTo("part-17");
      assertThat(database.count(Orders.HANDLED)).isZero();
      end.countDown();
      Orders.awaitNoneLeft(database);
      Orders.awaitCount(database, ROWS, 0);
    }
    assertThat(database.count(Orders.HANDLED)).isOne();
  }

  /** However much its handlers say. */
  @Test
  void progress_ofManyHandlers_isOneStatementASecond(QueueDatabase database) {
    int handlers = 40;
    Orders.enqueueAll(database, handlers);
    CountDownLatch end = new CountDownLatch(1);
    CommitCounter reports = new CommitCounter(Transition.REPORT);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(handlers),
            reports,
            Handlers.bind(
                "order",
                (order, context) -> {
                  for (int done = 0;
                      !end.await(1, java.util.concurrent.TimeUnit.MILLISECONDS);
                      done++) {
                    context.progress(done, "busy");
                  }
                }))) {
      Orders.awaitCount(database, ROWS, handlers);
      long before = System.nanoTime();
      int committed = reports.count();
      Await.until("three more turns", Orders.SOON, reports::count, now -> now >= committed + 3);
      assertThat(System.nanoTime() - before).isGreaterThan(1_900_000_000L);
      end.countDown();
      Orders.awaitNoneLeft(database);
      Orders.awaitCount(database, ROWS, 0);
    }
  }

  @Test
  void progress_ofAnEarlierClaim_neverReplacesThatOfALater(QueueDatabase database) {
    ProgressStore store = new ProgressStore(Transactions.on(database.dataSource()));
    store.report(List.of(report(7, 2, 5, "successor")));
    store.report(List.of(report(7, 1, 99, "zombie"), report(3, 1, 1, "beside it")));
    assertThat(rows(database)).containsExactly("3 1 1 beside it", "7 2 5 successor");
    store.report(List.of(report(7, 2, 6, "goes on")));
    store.forget(List.of(new ClaimKey(new MessageId(7), 1), new ClaimKey(new MessageId(3), 1)));
    assertThat(rows(database)).containsExactly("7 2 6 goes on");
  }

  /** A claim that is over, or a message that is gone, and nobody to delete the row. */
  @Test
  void progress_ofTheDead_isNotShownAndPruned(QueueDatabase database) {
    List<MessageId> ids =
        IntStream.range(0, 3).mapToObj(number -> Orders.enqueue(database, number)).toList();
    database.execute(
        "UPDATE queue_message SET state = 1, claim_number = 4, lock_id = 'w'",
        "INSERT INTO queue_progress (message_id, claim_number, done, note, updated_at) SELECT id,"
            + " 4, 1, '', UTC_TIMESTAMP(6) - INTERVAL 2 MINUTE FROM queue_message",
        "UPDATE queue_message SET claim_number = 5 WHERE id = " + ids.get(1),
        "DELETE FROM queue_message WHERE id = " + ids.get(2));
    Messages messages = QueueOperations.of(database.dataSource()).messages();
    assertThat(messages.find(ids.get(0)).progress()).isNotNull();
    assertThat(messages.find(ids.get(1)).progress()).isNull();
    ProgressStore store = new ProgressStore(Transactions.on(database.dataSource()));
    assertThat(store.prune(500)).isEqualTo(2);
    assertThat(database.strings("SELECT message_id FROM queue_progress"))
        .containsExactly(ids.get(0).toString());
  }

  @Test
  void handler_ofASharedCommit_isRefused(QueueDatabase database) {
    Orders.enqueue(database, 1);
    Orders.assertDies(
        database,
        "attempts-exhausted",
        Orders.handledBy(
            database,
            (order, context) -> context.progress(1, "short"),
            HandlerSettings.defaults().withSharedCommit().withMaxAttempts(1)));
    assertThat(database.strings("SELECT detail FROM queue_dead_letter").get(0))
        .contains("cannot report progress");
  }

  private static ProgressReport report(long id, int claim, long done, String note) {
    return new ProgressReport(new ClaimKey(new MessageId(id), claim), done, null, note);
  }

  private static List<String> rows(QueueDatabase database) {
    return database.strings(
        "SELECT CONCAT(message_id, ' ', claim_number, ' ', done, ' ', note) FROM queue_progress"
            + " ORDER BY message_id");
  }
}
