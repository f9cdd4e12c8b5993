package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.AbstractModule;
import com.google.inject.Inject;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadException;
import io.rowqueue.handler.CancelMessage;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.ReleaseMessage;
import io.rowqueue.handler.RetryAfter;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.operate.DeadLetterReason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jooq.tools.jdbc.MockResult;
import org.junit.jupiter.api.Test;

class TestedHandlerTest {

  record Order(int number, String sku) {}

  record Mail(String to) {}

  /** Whose second part nobody can see, the codec included. */
  public static final class Leaky {

    public int number;
    private String secret = "";

    static Leaky of(String secret) {
      Leaky leaky = new Leaky();
      leaky.secret = secret;
      return leaky;
    }

    @Override
    public String toString() {
      return "Leaky[" + number + ", " + secret + "]";
    }
  }

  private static final Order ORDER = new Order(7, "tea");

  private static TestedHandler of(MessageHandler<Order> handler) {
    return of(handler, HandlerSettings.defaults());
  }

  private static TestedHandler of(MessageHandler<Order> handler, HandlerSettings settings) {
    return TestedHandler.of("order", LambdaHandlers.bind("order", Order.class, handler, settings));
  }

  @Test
  void handle_returns_isAckedWithWhatItEnqueued() {
    TestedHandling handling = TestedHandler.of("order", new Shop()).handle(ORDER);
    assertThat(handling)
        .isAcked()
        .hasEnqueued("mail")
        .withPayload(new Mail("7@example.org"))
        .scheduledIn(Duration.ofMinutes(5))
        .withHeader("shop", "tea")
        .once()
        .hasEnqueued("log")
        .available()
        .andNothingElse();
  }

  @Test
  void handle_throws_undoesWhatItEnqueuedInItsTransactionOnly() {
    TestedHandling handling = TestedHandler.of("order", new Shop()).handle(new Order(-1, "tea"));
    assertThat(handling).isDeadLettered(DeadLetterReason.PERMANENT_FAILURE).hasEnqueuedNothing();
    assertThat(handling.undone()).hasEnqueued("mail").once();
  }

  @Test
  void handle_throws_isRetriedAsItsPolicySays() {
    TestedHandler handler =
        of(
            (order, context) -> {
              throw new IOException("attempt " + context.attempt());
            },
            HandlerSettings.defaults()
                .withMaxAttempts(3)
                .withRetryPolicy((attempt, failure) -> Duration.ofSeconds(attempt)));
    assertThat(handler.handle(ORDER))
        .isRetriedIn(Duration.ofSeconds(1))
        .failedWith(IOException.class)
        .failedSaying("attempt 1");
    List<TestedHandling> all = handler.handleToTheEnd(ORDER);
    assertThat(all).hasSize(3);
    assertThat(all.get(1)).isRetriedIn(Duration.ofSeconds(2));
    assertThat(all.get(2)).isDeadLettered(DeadLetterReason.ATTEMPTS_EXHAUSTED);
  }

  @Test
  void handle_withTheWorkersDefaults_followsThem() {
    TestedHandler handler =
        of((order, context) -> {
              throw new IllegalStateException();
            })
            .withDefaults(
                HandlerDefaults.defaults()
                    .withRetryPolicy(RetryPolicy.fixed(Duration.ofMinutes(3))));
    assertThat(handler.handle(ORDER)).isRetriedIn(Duration.ofMinutes(3));
  }

  @Test
  void handle_saysHowItEnds_endsSo() {
    assertThat(of((o, c) -> fail(new RetryAfter(Duration.ofHours(2), "busy"))).handle(ORDER))
        .isRetriedIn(Duration.ofHours(2));
    assertThat(of((o, c) -> fail(new ReleaseMessage(Duration.ofHours(1), "no"))).handle(ORDER))
        .isReleasedFor(Duration.ofHours(1));
    assertThat(of((o, c) -> fail(new PermanentFailure("never"))).handle(ORDER))
        .isDeadLettered(DeadLetterReason.PERMANENT_FAILURE)
        .failedSaying("never");
    assertThat(
            of((o, c) ->
                    fail(c.isCancelRequested() ? new CancelMessage("as asked") : new IOException()))
                .withCancelRequested()
                .handle(ORDER))
        .isCancelled();
    assertThat(of((o, c) -> {}).withClaimLost().handle(ORDER)).hasLostItsClaim();
  }

  private static void fail(Exception failure) throws Exception {
    throw failure;
  }

  @Test
  void handle_withoutTransaction_isAckedToo() {
    HandlerSettings settings = HandlerSettings.defaults().withoutTransaction();
    assertThat(of((o, c) -> {}, settings).handle(ORDER)).isAcked();
    assertThat(of((o, c) -> c.transaction(), settings).handle(ORDER))
        .isRetried()
        .failedSaying("bound withoutTransaction()");
  }

  @Test
  void handle_payloadThatCannotBeRead_isUndecodable() {
    assertThat(of((o, c) -> {}).handle("{\"number\": \"x\"}".getBytes(StandardCharsets.UTF_8)))
        .isDeadLettered(DeadLetterReason.UNDECODABLE);
  }

  @Test
  void handle_payloadThatChangesOnItsWay_fails() {
    TestedHandler handler =
        TestedHandler.of("leaky", LambdaHandlers.bind("leaky", Leaky.class, (leaky, c) -> {}));
    assertThatThrownBy(() -> handler.handle(Leaky.of("secret")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("does not survive its codec");
    assertThat(handler.withoutComparison().handle(Leaky.of("secret"))).isAcked();
  }

  @Test
  void handle_payloadThatCannotBeWritten_isRefusedAsAtItsProducer() {
    assertThatThrownBy(() -> of((o, c) -> {}).handle(new Object()))
        .isInstanceOf(PayloadException.class);
  }

  @Test
  void handle_blocks_timesOut() {
    TestedHandler handler = of((o, c) -> new CountDownLatch(1).await());
    assertThat(handler.withPatience(Duration.ofMillis(50)).handle(ORDER)).isRetried().hasTimedOut();
    TestedHandler limited =
        of(
            (o, c) -> new CountDownLatch(1).await(),
            HandlerSettings.defaults().withTimeout(Duration.ofMillis(50)).withMaxAttempts(1));
    assertThat(limited.handle(ORDER))
        .isDeadLettered(DeadLetterReason.ATTEMPTS_EXHAUSTED)
        .hasTimedOut();
  }

  @Test
  void handle_doesNotHeedItsInterrupt_failsAndShowsWhereItStands() {
    CountDownLatch end = new CountDownLatch(1);
    TestedHandler handler =
        of(
            (o, c) -> {
              boolean over = false;
              while (!over) {
                try {
                  end.await();
                  over = true;
                } catch (InterruptedException e) {
                  over = false;
                }
              }
            });
    assertThatThrownBy(() -> handler.withPatience(Duration.ofMillis(50)).handle(ORDER))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("did not end")
        .hasMessageContaining("TestedHandlerTest");
    end.countDown();
  }

  @Test
  void handle_asksItsContext_isRemembered() {
    TestedHandling handling =
        of(
                (o, c) -> {
                  c.progress(1, 2, "half");
                  c.progress(2, "all");
                  var unused = c.extendTimeout(Duration.ofMinutes(1));
                },
                HandlerSettings.defaults().withLongestTimeout(Duration.ofHours(1)))
            .handle(ORDER);
    assertThat(handling).isAcked();
    assertThat(handling.calls().progress())
        .containsExactly(
            new ContextCalls.Progress(1, 2L, "half"), new ContextCalls.Progress(2, null, "all"));
    assertThat(handling.calls().extensions()).containsExactly(Duration.ofMinutes(1));
  }

  @Test
  void handle_givesSomethingBack_isItsResult() {
    TestedHandler handler =
        TestedHandler.of(
            "order",
            LambdaHandlers.bindResult(
                "order",
                Order.class,
                (order, context) -> order.number() * 2,
                HandlerSettings.defaults().withResults(Duration.ofDays(1))));
    assertThat(handler.handle(ORDER)).isAcked().gave(14);
  }

  @Test
  void handle_sendsSqlThatNobodyAnswers_fails() {
    TestedHandler handler =
        of((o, c) -> c.transaction().execute("UPDATE stock SET amount = amount - 1"));
    assertThatThrownBy(() -> handler.handle(ORDER))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("UPDATE stock")
        .hasMessageContaining("@QueueTest");
    assertThat(handler.withAnswers(c -> new MockResult[] {new MockResult(1)}).handle(ORDER))
        .isAcked();
  }

  @Test
  void handle_endsItsTransaction_isRefused() {
    assertThat(of((o, c) -> c.connection().commit()).handle(ORDER))
        .isRetried()
        .failedWith(SQLException.class)
        .failedSaying("commit() is refused");
  }

  @Test
  void handleTogether_batch_isOneCall() {
    TestedHandler handler =
        TestedHandler.of(
            "order",
            LambdaHandlers.bindBatch(
                "order",
                Order.class,
                batch -> assertThat(batch).hasSize(3),
                HandlerSettings.defaults().withBatchSize(10)));
    List<NewMessage> orders = List.of(message(1), message(2), message(3));
    assertThat(handler.handleTogether(orders))
        .hasSize(3)
        .allSatisfy(each -> assertThat(each).isAcked());
  }

  private static NewMessage message(int number) {
    return NewMessage.of("order", new Order(number, "tea"));
  }

  @Test
  void of_topicWithoutHandler_saysWhichThereAre() {
    assertThatThrownBy(() -> TestedHandler.of("ordre", new Shop()))
        .isInstanceOf(HandlerConfigurationException.class)
        .hasMessage("no handler is bound to topic 'ordre'; the modules bind [order]");
  }

  @Test
  void of_moduleThatLacksABinding_saysWhich() {
    assertThatThrownBy(() -> TestedHandler.of("order", new Lacking()))
        .isInstanceOf(HandlerConfigurationException.class)
        .hasMessageContaining("TestedHandlerTest$Desk was bound. (")
        .hasMessageContaining("TestedHandlerTest$NeedsDesk.<init>()[0])");
  }

  @Test
  void of_twoHandlersOfOneTopic_namesBoth() {
    assertThatThrownBy(() -> TestedHandler.of("order", new Shop(), new Lacking(), new Desks()))
        .isInstanceOf(HandlerConfigurationException.class)
        .hasMessageContaining("topic 'order' has two handlers")
        .hasMessageContaining("OrderHandler")
        .hasMessageContaining("NeedsDesk");
  }

  @Test
  void handle_withAFake_usesIt() {
    Desk fake = () -> "fake";
    assertThat(
            TestedHandler.of("order", new Lacking(), new Desks())
                .with(Desk.class, fake)
                .handle(ORDER)
                .cause())
        .hasMessage("fake");
  }

  interface Desk {
    String name();
  }

  private static final class Desks extends AbstractModule {
    @Override
    protected void configure() {
      bind(Desk.class).toInstance(() -> "real");
    }
  }

  private static final class Lacking extends AbstractModule {
    @Override
    protected void configure() {
      HandlerBinder.bind(binder(), "order", NeedsDesk.class);
    }
  }

  private static final class NeedsDesk implements MessageHandler<Order> {
    private final Desk desk;

    @Inject
    NeedsDesk(Desk desk) {
      this.desk = desk;
    }

    @Override
    public void handle(Order order, HandlerContext context) {
      throw new IllegalStateException(desk.name());
    }
  }

  private static final class Shop extends AbstractModule {
    @Override
    protected void configure() {
      HandlerBinder.bind(binder(), "order", OrderHandler.class);
    }
  }

  private static final class OrderHandler implements MessageHandler<Order> {

    private final MessageProducer producer;

    @Inject
    OrderHandler(MessageProducer producer) {
      this.producer = producer;
    }

    @Override
    public void handle(Order order, HandlerContext context) {
      producer.enqueue(
          context.connection(),
          NewMessage.of("mail", new Mail(order.number() + "@example.org"))
              .withDelay(Duration.ofMinutes(5))
              .withHeader("shop", order.sku()));
      producer.enqueue(context.connection(), NewMessage.of("log", "ordered"));
      if (order.number() < 0) {
        throw new PermanentFailure("no such number");
      }
    }
  }
}
