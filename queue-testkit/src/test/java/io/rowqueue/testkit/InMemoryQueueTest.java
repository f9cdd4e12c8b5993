package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.AbstractModule;
import com.google.inject.Inject;
import com.google.inject.Module;
import com.google.inject.TypeLiteral;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Jooq;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.QueueException;
import io.rowqueue.Results;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.ReleaseMessage;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.handler.ScheduleBinder;
import io.rowqueue.handler.SubscriptionBinder;
import io.rowqueue.internal.body.BodySweep;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.Schedules;
import io.rowqueue.operate.Topics;
import io.rowqueue.spi.FileBodyStore;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.jooq.impl.DSL;
import org.jooq.tools.jdbc.MockResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class InMemoryQueueTest {

  /** What the handler does, after it has enqueued a mail. */
  private interface Deed {
    void happen(String order, HandlerContext context) throws Exception;
  }

  /** Remembers its orders, and enqueues a mail for each. */
  static final class OrderHandler implements MessageHandler<String> {

    private final MessageProducer producer;
    private final Deed deed;
    private final List<String> orders;

    @Inject
    OrderHandler(MessageProducer producer, Deed deed, List<String> orders) {
      this.producer = producer;
      this.deed = deed;
      this.orders = orders;
    }

    @Override
    public void handle(String order, HandlerContext context) throws Exception {
      orders.add(order);
      producer.enqueue(context.connection(), NewMessage.of("mail", "thanks for " + order));
      deed.happen(order, context);
    }
  }

  private final List<String> orders = new ArrayList<>();

  private InMemoryQueue queue(Deed deed, HandlerSettings settings, Module... more) {
    List<Module> all = new ArrayList<>(List.of(more));
    all.add(
        new AbstractModule() {
          @Override
          protected void configure() {
            bind(Deed.class).toInstance(deed);
            bind(new TypeLiteral<List<String>>() {}).toInstance(orders);
            HandlerBinder.bind(binder(), "order", OrderHandler.class, settings);
          }
        });
    return InMemoryQueue.of(all.toArray(new Module[0]));
  }

  private InMemoryQueue queue(Deed deed) {
    return queue(
        deed,
        HandlerSettings.defaults()
            .withRetryPolicy(RetryPolicy.fixed(Duration.ofMinutes(1)))
            .withMaxAttempts(3));
  }

  private static Outcome only(List<HandledMessage> handled) {
    assertThat(handled).hasSize(1);
    Outcome outcome = handled.get(0).outcome();
    return outcome == null ? Outcome.ABANDONED : outcome;
  }

  @Test
  void handled_isGone_andWhatItEnqueuedIsThere() {
    InMemoryQueue queue = queue((order, context) -> {});
    queue.enqueue("order", "tea");
    assertThat(only(queue.drain())).isEqualTo(Outcome.ACKED);
    assertThat(queue).hasEnqueued("mail").withPayload("thanks for tea").once().andNothingElse();
  }

  @Test
  void failed_isRetriedByItsPolicy_andLeavesNothing_untilItIsADeadLetter() {
    InMemoryQueue queue =
        queue(
            (order, context) -> {
              throw new IllegalStateException("attempt " + context.attempt());
            });
    MessageId id = queue.enqueue("order", "tea");
    assertThat(only(queue.drain())).isEqualTo(Outcome.RETRIED);
    assertThat(queue)
        .hasEnqueued("order")
        .failedTimes(1)
        .scheduledIn(Duration.ofMinutes(1))
        .once()
        .andNothingElse();
    queue.advance(Duration.ofSeconds(59));
    assertThat(queue.drain()).isEmpty();
    queue.advance(Duration.ofSeconds(1));
    assertThat(queue.runOnce()).hasSize(1);
    queue.advance(Duration.ofMinutes(1));
    assertThat(only(queue.drain())).isEqualTo(Outcome.DEAD_LETTERED);
    assertThat(queue)
        .isEmpty()
        .hasDeadLetter("order")
        .withReason(DeadLetterReason.ATTEMPTS_EXHAUSTED)
        .withPayload("tea");
    assertThat(queue.redrive(id)).isTrue();
    assertThat(queue.drain().get(0).attempt()).isEqualTo(1);
  }

  @Test
  void failedForGood_isADeadLetterAtOnce() {
    InMemoryQueue queue =
        queue(
            (order, context) -> {
              throw new PermanentFailure("no such article");
            });
    queue.enqueue("order", "tea");
    queue.drain();
    assertThat(queue).hasDeadLetter("order").withReason(DeadLetterReason.PERMANENT_FAILURE);
    assertThat(queue.redriveAll()).isEqualTo(1);
    assertThat(queue).hasDepth("order", 1).hasNoDeadLetters();
  }

  @Test
  void released_isTriedAgainWithoutAnAttempt() {
    InMemoryQueue queue =
        queue(
            (order, context) -> {
              if (context.claimNumber() < 3) {
                throw new ReleaseMessage(Duration.ofSeconds(5), "later");
              }
            });
    queue.enqueue("order", "tea");
    assertThat(only(queue.drain())).isEqualTo(Outcome.RELEASED);
    queue.advance(Duration.ofSeconds(5));
    queue.drain();
    queue.advance(Duration.ofSeconds(5));
    assertThat(queue.drain()).extracting(HandledMessage::attempt).containsExactly(1);
    assertThat(queue).hasEnqueued("mail").once().andNothingElse();
  }

  @Test
  void payload_thatCannotBeRead_isADeadLetter() {
    InMemoryQueue queue = queue((order, context) -> {});
    queue.enqueue("order", new byte[] {'{'});
    queue.drain();
    assertThat(queue).hasDeadLetter("order").withReason(DeadLetterReason.UNDECODABLE);
  }

  @Test
  void priorityAndDueTime_decideWhatComesNext() {
    InMemoryQueue queue = queue((order, context) -> {});
    queue.enqueue(NewMessage.of("order", "tomorrow").withDelay(Duration.ofDays(1)));
    queue.enqueue(NewMessage.of("order", "soon"));
    queue.enqueue(NewMessage.of("order", "sooner").withPriority(-1));
    queue.drain();
    assertThat(orders).containsExactly("sooner", "soon");
    queue.advance(Duration.ofDays(1));
    queue.drain();
    assertThat(orders).containsExactly("sooner", "soon", "tomorrow");
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void afterAnyFault_theOrderHasOneMailInTheEnd(Fault fault) {
    InMemoryQueue queue = queue((order, context) -> {});
    queue.enqueue("order", "tea");
    queue.failNext(fault);
    List<HandledMessage> first = queue.drain();
    boolean crashes = fault.name().startsWith("CRASH");
    assertThat(TestWorker.hasCrashed(first)).isEqualTo(crashes);
    if (crashes && fault != Fault.CRASH_AFTER_COMMIT) {
      assertThat(queue).hasInFlight(1).hasNothingOf("mail");
      queue.advance(TestWorker.LEASE.minusSeconds(1));
      assertThat(queue.drain()).isEmpty();
    }
    queue.advance(Duration.ofMinutes(1));
    queue.drain();
    int mails = fault == Fault.DELIVERED_TWICE ? 2 : 1;
    assertThat(queue).hasEnqueued("mail").times(mails).andNothingElse();
  }

  @Test
  void claimThatWasLost_leavesNothing() {
    InMemoryQueue queue = queue((order, context) -> {});
    queue.enqueue("order", "tea");
    queue.failNext(Fault.CLAIM_LOST);
    assertThat(only(queue.runOnce())).isEqualTo(Outcome.LOST);
    assertThat(queue).hasEnqueued("order").available().once().andNothingElse();
  }

  @Test
  void crashThreeTimes_isQuarantined() {
    InMemoryQueue queue = queue((order, context) -> {});
    queue.enqueue("order", "tea");
    for (int i = 0; i < 3; i++) {
      queue.failNext(Fault.CRASH_AFTER_HANDLER);
      queue.drain();
      queue.reap();
    }
    assertThat(queue).isEmpty().hasDeadLetter("order").withReason(DeadLetterReason.CLAIMS_LOST);
  }

  @Test
  void nestedTransactionThatRollsBack_enqueuesNothing_andItsHandlerGoesOn() {
    MessageProducer[] producer = new MessageProducer[1];
    InMemoryQueue queue =
        queue(
            (order, context) ->
                assertThatThrownBy(
                        () ->
                            context
                                .transaction()
                                .transaction(
                                    nested -> {
                                      Jooq.inTransaction(
                                          nested.dsl(),
                                          connection ->
                                              producer[0].enqueue(
                                                  connection, NewMessage.of("mail", "never")));
                                      throw new IllegalStateException("undo");
                                    }))
                    .hasMessage("undo"));
    producer[0] = queue.get(MessageProducer.class);
    queue.enqueue("order", "tea");
    assertThat(only(queue.drain())).isEqualTo(Outcome.ACKED);
    assertThat(queue).hasEnqueued("mail").withPayload("thanks for tea").once().andNothingElse();
  }

  @Test
  void sharedCommit_inWhichOneFails_keepsTheOthers() {
    InMemoryQueue queue =
        queue(
            (order, context) -> {
              if (order.equals("bad")) {
                throw new IllegalStateException("bad");
              }
            },
            HandlerSettings.defaults().withSharedCommit());
    List.of("a", "bad", "b").forEach(order -> queue.enqueue("order", order));
    queue.drain();
    assertThat(queue).hasEnqueued("mail").times(2);
    assertThat(queue).hasEnqueued("order").failedTimes(1).withPayload("bad").once();
    assertThat(queue).hasDepth(3);
  }

  @Test
  void line_waitsForItsHead() {
    InMemoryQueue queue =
        queue(
            (order, context) -> {
              if (order.equals("a") && context.attempt() == 1) {
                throw new IllegalStateException("not yet");
              }
            });
    queue.enqueue(NewMessage.of("order", "a").withOrderingKey("ada"));
    queue.enqueue(NewMessage.of("order", "b").withOrderingKey("ada"));
    queue.drain();
    assertThat(orders).containsExactly("a");
    queue.advance(Duration.ofMinutes(1));
    queue.drain();
    assertThat(orders).containsExactly("a", "a", "b");
  }

  @Test
  void batch_isHandledTogether() {
    List<List<String>> batches = new ArrayList<>();
    InMemoryQueue queue =
        InMemoryQueue.of(
            LambdaHandlers.bindBatch(
                "order",
                String.class,
                batch -> batches.add(batch.stream().map(each -> each.payload()).toList()),
                HandlerSettings.defaults().withBatchSize(2)));
    List.of("a", "b", "c").forEach(order -> queue.enqueue("order", order));
    assertThat(queue.drain()).hasSize(3).allMatch(each -> each.outcome() == Outcome.ACKED);
    assertThat(batches).containsExactly(List.of("a", "b"), List.of("c"));
  }

  @Test
  void handlerWithoutTransaction_isAcked() {
    InMemoryQueue queue =
        InMemoryQueue.of(
            LambdaHandlers.bind(
                "order",
                String.class,
                (order, context) -> orders.add(order),
                HandlerSettings.defaults().withoutTransaction()));
    queue.enqueue("order", "tea");
    assertThat(only(queue.drain())).isEqualTo(Outcome.ACKED);
    assertThat(queue).isEmpty();
  }

  @Test
  void schedule_firesWhenItsTimeComes() {
    Schedule nightly =
        Schedule.cron("nightly", "0 2 * * *", ZoneOffset.UTC)
            .enqueues(NewMessage.of("order", "report"));
    InMemoryQueue queue =
        queue(
            (order, context) ->
                assertThat(context.headers()).containsEntry(Schedule.NAME_HEADER, "nightly"),
            HandlerSettings.defaults(),
            binder -> ScheduleBinder.bind(binder, nightly));
    queue.advance(Duration.ofMinutes(119));
    assertThat(queue.drain()).isEmpty();
    queue.advance(Duration.ofMinutes(1));
    assertThat(only(queue.drain())).isEqualTo(Outcome.ACKED);
    assertThat(queue.drain()).isEmpty();
    queue.advance(Duration.ofDays(1));
    assertThat(queue.drain()).hasSize(1);
  }

  /** As services do with each start. */
  @Test
  void schedule_setAgainUnchanged_keepsItsNextFiring() {
    InMemoryQueue queue = queue((order, context) -> {}, HandlerSettings.defaults());
    Schedules schedules = queue.get(Schedules.class);
    Schedule hourly =
        Schedule.every("hourly", Duration.ofHours(1)).enqueues(NewMessage.of("order", "report"));
    schedules.set(hourly);
    queue.advance(Duration.ofMinutes(30));
    schedules.set(hourly);
    queue.advance(Duration.ofMinutes(30));
    assertThat(queue.drain()).hasSize(1);
    schedules.set(
        Schedule.every("hourly", Duration.ofHours(2)).enqueues(NewMessage.of("order", "report")));
    queue.advance(Duration.ofHours(1));
    assertThat(queue.drain()).as("the earlier end of both rates").hasSize(1);
    queue.advance(Duration.ofHours(1));
    assertThat(queue.drain()).isEmpty();
    queue.advance(Duration.ofHours(1));
    assertThat(queue.drain()).hasSize(1);
  }

  @Test
  void published_hasACopyForEachThatIsSubscribed() {
    InMemoryQueue queue =
        InMemoryQueue.of(
            binder -> {
              SubscriptionBinder.bind(binder, "order.placed", "mail");
              SubscriptionBinder.bind(binder, "order.placed", "stock");
            });
    queue.inTransaction(
        connection ->
            queue.get(MessageProducer.class).publish(connection, NewMessage.of("order.placed", 7)));
    assertThat(queue).hasEnqueued("mail").withPayload(7).once();
    assertThat(queue).hasEnqueued("stock").once();
    assertThat(queue).hasNothingOf("order.placed");
  }

  @Test
  void transactionThatThrows_enqueuesNothing() {
    InMemoryQueue queue = queue((order, context) -> {});
    assertThatThrownBy(
            () ->
                queue.inTransaction(
                    connection -> {
                      queue
                          .get(MessageProducer.class)
                          .enqueue(connection, NewMessage.of("order", "tea"));
                      throw new SQLException("undo");
                    }))
        .isInstanceOf(QueueException.class)
        .hasMessageContaining("undo");
    assertThat(queue).isEmpty();
  }

  @Test
  void cancelRequestToCancelWhatIsInFlight_isHeededWhenItIsGivenBack() {
    Messages[] messages = new Messages[1];
    InMemoryQueue queue =
        queue(
            (order, context) -> {
              messages[0].requestCancel(context.id(), "ada");
              throw new IllegalStateException("failed");
            });
    messages[0] = queue.get(Messages.class);
    queue.enqueue("order", "tea");
    queue.drain();
    queue.advance(Duration.ofMinutes(1));
    assertThat(queue.drain()).isEmpty();
    assertThat(queue).isEmpty().hasNoDeadLetters();
  }

  @Test
  void cancelled_isNotHandled() {
    InMemoryQueue queue = queue((order, context) -> {});
    queue.cancel(queue.enqueue("order", "tea"));
    assertThat(queue.drain()).isEmpty();
  }

  @Test
  void sql_failsTheTest_withWhatToDo() {
    InMemoryQueue queue =
        queue((order, context) -> context.transaction().execute("UPDATE stock SET left_over = 1"));
    queue.enqueue("order", "tea");
    assertThatThrownBy(queue::drain)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("UPDATE stock")
        .hasMessageContaining("@QueueTest")
        .hasMessageContaining("withAnswers");
  }

  @Test
  void producerOfItsOwn_failsTheTest_withWhatToDo() {
    InMemoryQueue queue =
        queue(
            (order, context) -> {
              var unused =
                  MessageProducer.create()
                      .enqueue(context.connection(), NewMessage.of("mail", "x"));
            });
    queue.enqueue("order", "tea");
    assertThatThrownBy(queue::drain)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("MessageProducer.create()");
  }

  @Test
  void sqlThatTheTestAnswers_isAnswered() {
    InMemoryQueue queue =
        queue(
                (order, context) ->
                    assertThat(context.transaction().fetchCount(DSL.table("stock"))).isEqualTo(7))
            .withAnswers(
                statement -> {
                  var field = DSL.field("count", Integer.class);
                  var dsl = DSL.using(org.jooq.SQLDialect.MYSQL);
                  var rows = dsl.newResult(field);
                  rows.add(dsl.newRecord(field).values(7));
                  return new MockResult[] {new MockResult(1, rows)};
                });
    queue.enqueue("order", "tea");
    assertThat(only(queue.drain())).isEqualTo(Outcome.ACKED);
  }

  @Test
  void result_isAwaited_onceItsMessageIsHandled() throws InterruptedException {
    Module asking =
        LambdaHandlers.bindResult(
            "price",
            String.class,
            (article, context) -> article.length(),
            HandlerSettings.defaults().withResults(Duration.ofMinutes(1)));
    InMemoryQueue queue = InMemoryQueue.of(asking);
    MessageId id = queue.enqueue("price", "tea");
    queue.drain();
    try (Results results = Results.over(queue.dataSource())) {
      assertThat(results.await(id, Integer.class, Duration.ofSeconds(30))).isEqualTo(3);
    }
  }

  @Test
  void batch_whoseMemberAddsOthers_completesWithTheLast() {
    InMemoryQueue queue =
        queue(
            (order, context) -> {
              if (order.equals("import")) {
                context.batch().add(NewMessage.of("order", "row"));
              }
            });
    queue.inTransaction(
        connection -> {
          var unused =
              queue
                  .get(BatchProducer.class)
                  .enqueue(
                      connection,
                      BatchSettings.defaults().completingWith(NewMessage.of("done", "all")),
                      List.of(NewMessage.of("order", "import")));
        });
    assertThat(queue.runOnce()).hasSize(1);
    assertThat(queue).hasNothingOf("done");
    assertThat(queue.drain()).hasSize(1);
    assertThat(queue)
        .hasEnqueued("done")
        .withHeader(BatchSettings.COUNTS_HEADER, "total=2 done=2 failed=0 cancelled=0")
        .once();
  }

  @Test
  void streamedPayload_isReadByItsHandler_andGoneThen() {
    List<byte[]> read = new ArrayList<>();
    InMemoryQueue queue =
        InMemoryQueue.of(
            LambdaHandlers.bind(
                "film", InputStream.class, (film, context) -> read.add(film.readAllBytes())));
    byte[] film = new byte[100_000];
    queue.enqueue(NewMessage.streamed("film", () -> new ByteArrayInputStream(film)));
    queue.enqueue("film", film);
    assertThat(queue.poll().messages()).extracting(QueuedMessage::payload).containsOnly(film);
    assertThat(queue.drain()).hasSize(2);
    assertThat(read).containsExactly(film, film);
    assertThat(queue.drain()).isEmpty();
    assertThat(queue.get(BodySweep.class).sweepAll(10)).as("left to be swept").isZero();
  }

  @Test
  void whatIsNotThere_isRefused(@TempDir Path folder) {
    InMemoryQueue queue = queue((order, context) -> {});
    MessageProducer producer = queue.get(MessageProducer.class);
    assertThatThrownBy(() -> producer.storing(FileBodyStore.in(folder), 1))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("@QueueTest");
    assertThatThrownBy(
            () ->
                queue.get(Topics.class).change(new Topic("order"), set -> set.withRetentionDays(1)))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessage("a queue in memory has no archive; test that with @QueueTest");
  }

  @Test
  void twoHandlersOfOneTopic_areRefused() {
    Module one = LambdaHandlers.bind("order", String.class, (order, context) -> {});
    Module other = LambdaHandlers.bind("order", Integer.class, (order, context) -> {});
    assertThatThrownBy(() -> InMemoryQueue.of(one, other))
        .isInstanceOf(HandlerConfigurationException.class)
        .hasMessageContaining("two handlers");
  }

  @Test
  void replacedPart_isTheFake() {
    InMemoryQueue queue =
        queue((order, context) -> {})
            .with(
                Deed.class,
                (order, context) -> {
                  throw new PermanentFailure("fake");
                });
    queue.enqueue("order", "tea");
    queue.drain();
    assertThat(queue).hasDeadLetter("order").withDetail("fake");
  }
}
