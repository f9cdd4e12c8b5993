package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.AbstractModule;
import com.google.inject.Inject;
import com.google.inject.Module;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.handler.ScheduleBinder;
import io.rowqueue.operate.DeadLetterReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@QueueTest
class TestWorkerIT {

  private static final NewMessage ORDER = NewMessage.of("order", "tea");

  private final QueueDatabase database;
  private final TestQueue queue;
  private final List<TestWorker> open = new ArrayList<>();

  TestWorkerIT(QueueDatabase database) {
    this.database = database;
    this.queue = database.queue();
  }

  @BeforeAll
  static void table(QueueDatabase database) {
    database.execute(
        "CREATE TABLE sale (id INT AUTO_INCREMENT PRIMARY KEY, sku VARCHAR(20), sold_at DATETIME(6)"
            + " DEFAULT (UTC_TIMESTAMP(6)))");
  }

  @BeforeEach
  void empty() {
    database.execute("DELETE FROM sale");
  }

  @AfterEach
  void close() {
    open.forEach(TestWorker::close);
  }

  private TestWorker worker(Module... modules) {
    TestWorker worker = TestWorker.of(database, modules);
    open.add(worker);
    return worker;
  }

  private TestWorker selling(MessageHandler<String> handler) {
    return worker(
        LambdaHandlers.bind(
            "order",
            String.class,
            handler,
            HandlerSettings.defaults().withRetryPolicy(RetryPolicy.fixed(Duration.ofHours(1)))));
  }

  private static void sell(String sku, HandlerContext context) {
    context.transaction().execute("INSERT INTO sale (sku) VALUES (?)", sku);
  }

  private long sales() {
    return database.count("SELECT COUNT(*) FROM sale");
  }

  @Test
  void drain_handlesWhatThereIsAndWhatThatEnqueues() {
    TestWorker worker = worker(new Shop());
    queue.enqueue("order", "tea");
    queue.enqueue("order", "milk");
    assertThat(worker.drain())
        .extracting(HandledMessage::topic)
        .containsExactly("order", "order", "mail", "mail");
    assertThat(queue).isEmpty().hasNoDeadLetters();
    assertThat(sales()).isEqualTo(2);
    assertThat(worker.drain()).isEmpty();
  }

  @Test
  void runOnce_handlesOneOnTheTestsThread() {
    Thread mine = Thread.currentThread();
    TestWorker worker =
        selling((sku, context) -> assertThat(Thread.currentThread()).isSameAs(mine));
    queue.enqueue("order", "tea");
    queue.enqueue("order", "milk");
    assertThat(worker.runOnce()).hasSize(1);
    assertThat(queue).hasEnqueued("order").withPayload("milk").once().andNothingElse();
  }

  @Test
  void advance_makesDueWhatWasDelayed() {
    TestWorker worker = selling(TestWorkerIT::sell);
    Instant begin = database.now();
    queue.enqueue(ORDER.withDelay(Duration.ofDays(30)));
    worker.advance(Duration.ofDays(30).minusMillis(1));
    assertThat(worker.drain()).isEmpty();
    worker.advance(Duration.ofMillis(1));
    assertThat(worker.drain()).hasSize(1);
    assertThat(database.now()).isEqualTo(begin.plus(Duration.ofDays(30)));
    assertThat(database.strings("SELECT sold_at = UTC_TIMESTAMP(6) FROM sale"))
        .containsExactly("1");
  }

  @Test
  void handler_thatFails_isTriedAgainWhenItsBackoffIsOver() {
    FailingHandler<String> failing =
        new FailingHandler<>(1, () -> new IllegalStateException("closed"), TestWorkerIT::sell);
    TestWorker worker = selling(failing);
    queue.enqueue(ORDER);
    assertThat(worker.drain()).extracting(HandledMessage::outcome).containsExactly(Outcome.RETRIED);
    assertThat(queue).hasEnqueued("order").failedTimes(1).scheduledIn(Duration.ofHours(1)).once();
    assertThat(worker.drain()).isEmpty();
    worker.advance(Duration.ofHours(1));
    assertThat(worker.drain()).extracting(HandledMessage::attempt).containsExactly(2);
    assertThat(sales()).isEqualTo(1);
  }

  @Test
  void schedules_fireWhenTheClockComesToThem() {
    TestWorker worker =
        worker(
            LambdaHandlers.bind("order", String.class, TestWorkerIT::sell),
            binder ->
                ScheduleBinder.bind(
                    binder, Schedule.every("teatime", Duration.ofHours(1)).enqueues(ORDER)));
    worker.drain();
    long before = sales();
    worker.advance(Duration.ofHours(1));
    worker.drain();
    assertThat(sales()).isEqualTo(before + 1);
  }

  @Test
  void linesOfAnOrderingKey_areKept() {
    List<String> handled = new ArrayList<>();
    TestWorker worker = selling((sku, context) -> handled.add(sku));
    queue.enqueue(NewMessage.of("order", "1").withOrderingKey("ada"));
    queue.enqueue(NewMessage.of("order", "2").withOrderingKey("ada").withPriority(-5));
    assertThat(worker.drain()).hasSize(2);
    assertThat(handled).containsExactly("1", "2");
  }

  @ParameterizedTest
  @EnumSource(
      names = {
        "CRASH_BEFORE_HANDLER",
        "CRASH_AFTER_HANDLER",
        "CRASH_BEFORE_COMMIT",
        "CLAIM_LOST",
        "DEADLOCK"
      })
  void transaction_thatDidNotCommit_happensOnceInTheEnd(Fault fault) {
    TestWorker worker = selling(TestWorkerIT::sell);
    queue.enqueue(ORDER);
    worker.failNext(fault);
    worker.drain();
    if (fault.name().startsWith("CRASH")) {
      assertThat(queue).hasInFlight(1);
      assertThat(sales()).isZero();
      assertThat(worker.drain()).as("its lease is not over").isEmpty();
      worker.advance(TestWorker.LEASE.plusSeconds(1));
      assertThat(worker.drain()).hasSize(1);
    }
    assertThat(sales()).isEqualTo(1);
    assertThat(queue).isEmpty().hasNoDeadLetters();
  }

  @ParameterizedTest
  @EnumSource(names = {"CRASH_AFTER_COMMIT", "COMMIT_ANSWER_LOST"})
  void transaction_thatCommittedUnseen_isNotRepeated(Fault fault) {
    TestWorker worker = selling(TestWorkerIT::sell);
    queue.enqueue(ORDER);
    worker.failNext(fault);
    worker.drain();
    worker.advance(Duration.ofMinutes(1));
    worker.drain();
    assertThat(sales()).isEqualTo(1);
    assertThat(queue).isEmpty().hasNoDeadLetters();
  }

  @Test
  void deliveredTwice_isHandledTwice() {
    TestWorker worker = selling(TestWorkerIT::sell);
    queue.enqueue(ORDER);
    worker.failNext(Fault.DELIVERED_TWICE);
    assertThat(worker.drain()).hasSize(2);
    assertThat(sales()).isEqualTo(2);
  }

  @Test
  void claimLostThreeTimes_isQuarantined() {
    TestWorker worker = selling(TestWorkerIT::sell);
    queue.enqueue(ORDER);
    for (int i = 0; i < 3; i++) {
      worker.failNext(Fault.CRASH_AFTER_HANDLER);
      worker.drain();
      worker.advance(TestWorker.LEASE.plusSeconds(1));
    }
    assertThat(worker.drain()).isEmpty();
    assertThat(queue).hasDeadLetter("order").withReason(DeadLetterReason.CLAIMS_LOST);
  }

  @Test
  void checkIdempotent_effectsInTheTransaction_pass() {
    selling(TestWorkerIT::sell).checkIdempotent(ORDER);
    assertThat(sales()).isEqualTo(1);
  }

  @Test
  void checkIdempotent_callsWithTheKey_pass() {
    Set<String> mails = new TreeSet<>();
    selling((sku, context) -> mails.add(context.idempotencyKey() + " " + sku))
        .checkIdempotent(ORDER, () -> mails);
    assertThat(mails).hasSize(1);
  }

  @Test
  void checkIdempotent_callsAndWritesConcurrentWithTheTransaction_failAndAreShown() {
    List<String> mails = new ArrayList<>();
    TestWorker worker =
        worker(
            LambdaHandlers.bind(
                "order",
                String.class,
                (sku, context) -> {
                  mails.add(sku);
                  database.execute("INSERT INTO sale (sku) VALUES ('" + sku + "')");
                  MessageProducer.create()
                      .enqueue(database.dataSource(), NewMessage.of("log", "sold"));
                },
                HandlerSettings.defaults().withoutTransaction()));
    assertThatThrownBy(() -> worker.checkIdempotent(ORDER, () -> mails))
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll(
            "is not idempotent",
            "sale has also [tea",
            "messages has also [log, \"sold\"",
            "outside: after one handling [tea], after two [tea, tea]");
  }

  private static final class Shop extends AbstractModule {
    @Override
    protected void configure() {
      HandlerBinder.bind(binder(), "order", OrderHandler.class);
      install(LambdaHandlers.bind("mail", String.class, (mail, context) -> {}));
    }
  }

  private static final class OrderHandler implements MessageHandler<String> {

    private final MessageProducer producer;

    @Inject
    OrderHandler(MessageProducer producer) {
      this.producer = producer;
    }

    @Override
    public void handle(String sku, HandlerContext context) {
      sell(sku, context);
      producer.enqueue(context.connection(), NewMessage.of("mail", sku));
    }
  }
}
