package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.CreationException;
import com.google.inject.Inject;
import com.google.inject.Module;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadException;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.operate.DeadLetterReason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Mistakes that authors of handlers make: what shows each, and in which words. */
@QueueTest
class TenMistakesIT {

  record Order(String sku, String currency) {}

  record Mail(String to) {}

  private static final Order TEA = new Order("tea", "EUR");

  private final QueueDatabase database;
  private final TestQueue queue;

  TenMistakesIT(QueueDatabase database, TestQueue queue) {
    this.database = database;
    this.queue = queue;
  }

  @BeforeAll
  static void table(QueueDatabase database) {
    database.execute("CREATE TABLE sale (sku VARCHAR(20))");
  }

  private static Module bound(MessageHandler<Order> handler) {
    return LambdaHandlers.bind("order", Order.class, handler);
  }

  private static TestedHandler tested(MessageHandler<Order> handler) {
    return TestedHandler.of("order", bound(handler));
  }

  @Test
  void payload_withANewPartWithoutADefault_isShownByItsSamples(@TempDir Path folder)
      throws IOException {
    Files.createDirectories(folder.resolve("order"));
    Files.writeString(folder.resolve("order/v1-1.json"), "{\"sku\":\"tea\"}");
    assertThatThrownBy(() -> PayloadSamples.in(folder, bound((order, c) -> {})).check())
        .hasMessageContainingAll("or the part a default", "v1-1.json: Order.currency is null");
  }

  @Test
  void binding_thatWasForgotten_isShownByTestedHandler() {
    Module module = binder -> HandlerBinder.bind(binder, "order", NeedsDesk.class);
    assertThatThrownBy(() -> TestedHandler.of("order", module))
        .isInstanceOf(HandlerConfigurationException.class)
        .hasMessageContainingAll("the Guice modules are invalid", "Desk was bound", "NeedsDesk");
    assertThatThrownBy(() -> TestedHandler.of("orders", bound((order, c) -> {})))
        .hasMessage("no handler is bound to topic 'orders'; the modules bind [order]");
  }

  @Test
  void twoHandlers_ofOneTopic_areShownByTestedHandler() {
    Module another =
        binder -> {
          binder.bind(Desk.class).toInstance(() -> {});
          HandlerBinder.bind(binder, "order", NeedsDesk.class);
        };
    assertThatThrownBy(() -> TestedHandler.of("order", bound((order, c) -> {}), another))
        .isInstanceOf(HandlerConfigurationException.class)
        .hasMessageContainingAll("topic 'order' has two handlers", "NeedsDesk");
  }

  @Test
  void transaction_thatTheHandlerCommits_isShownByTestedHandlerAndTestWorker() {
    assertThat(tested((order, context) -> context.connection().commit()).handle(TEA))
        .isRetried()
        .failedSaying("commit() is refused inside a handler");
    queue.enqueue("order", TEA);
    try (TestWorker worker =
        TestWorker.of(
            database, bound((order, context) -> context.transaction().execute("COMMIT")))) {
      worker.drain();
    }
    assertThat(queue)
        .hasDeadLetter("order")
        .withReason(DeadLetterReason.LEFT_TRANSACTION)
        .withDetail("the message's transaction was ended inside its handler");
  }

  @Test
  void transaction_thatAnotherThreadUses_isShownByTestedHandler() {
    TestedHandler handler =
        tested(
            (order, context) ->
                CompletableFuture.runAsync(() -> context.transaction().execute("DELETE FROM sale"))
                    .join());
    assertThat(handler.handle(TEA))
        .isRetried()
        .failedSaying("by a thread other than its handler's");
  }

  @Test
  void exception_thatIsSwallowed_isShownByTheOutcome() {
    TestedHandler handler =
        tested(
            (order, context) -> {
              try {
                throw new IOException("the desk is closed");
              } catch (IOException e) {
                // "It will be all right."
              }
            });
    assertThatThrownBy(() -> assertThat(handler.handle(TEA)).isRetried())
        .hasMessageContainingAll("expected the handling to be retried, but it was acked");
  }

  @Test
  void handler_thatIsNotIdempotent_isShownByCheckIdempotent() {
    List<String> charges = new ArrayList<>();
    try (TestWorker worker =
        TestWorker.of(database, bound((order, context) -> charges.add("charge " + order.sku())))) {
      assertThatThrownBy(() -> worker.checkIdempotent(NewMessage.of("order", TEA), () -> charges))
          .hasMessageContainingAll(
              "the handler is not idempotent",
              "outside: after one handling [charge tea], after two [charge tea, charge tea]");
    }
  }

  @Test
  void payload_thatCannotBeWritten_isShownByTestedHandler() {
    assertThatThrownBy(
            () -> tested((order, c) -> {}).handle(new Upload(InputStream.nullInputStream())))
        .isInstanceOf(PayloadException.class)
        .hasMessageContainingAll("Upload cannot be written as JSON", "No serializer");
  }

  @Test
  void handler_ofAnotherTypeThanItsTopics_isShownByTestedHandler() {
    assertThatThrownBy(() -> tested((order, c) -> {}).handle(new Mail("ada")))
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll(
            "the test gives a", "Mail[to=ada]", "the handler takes a", "sku=null");
    Module open = binder -> HandlerBinder.bind(binder, "order", rawClass());
    assertThatThrownBy(() -> TestedHandler.of("order", open))
        .isInstanceOf(HandlerConfigurationException.class)
        .hasCauseInstanceOf(CreationException.class)
        .hasMessageContainingAll("cannot bind", "type variable");
  }

  @Test
  void handler_thatBlocksForEver_isShownByTestedHandler() {
    TestedHandler blocking = tested((order, c) -> new CountDownLatch(1).await());
    assertThat(blocking.withPatience(Duration.ofMillis(50)).handle(TEA)).isRetried().hasTimedOut();
    CountDownLatch end = new CountDownLatch(1);
    TestedHandler deaf =
        tested(
            (order, c) -> {
              while (end.getCount() > 0) {
                Thread.onSpinWait();
              }
            });
    assertThatThrownBy(() -> deaf.withPatience(Duration.ofMillis(50)).handle(TEA))
        .hasMessageContainingAll("did not end within 50 ms", "Its stack:", "TenMistakesIT");
    end.countDown();
  }

  interface Desk {
    void close();
  }

  private static final class NeedsDesk implements MessageHandler<Order> {

    private final Desk desk;

    @Inject
    NeedsDesk(Desk desk) {
      this.desk = desk;
    }

    @Override
    public void handle(Order order, HandlerContext context) {
      desk.close();
    }
  }

  record Upload(InputStream body) {}

  static class OpenHandler<P> implements MessageHandler<P> {
    @Override
    public void handle(P payload, HandlerContext context) {}
  }

  /** As somebody binds it who has not said of what it is. */
  @SuppressWarnings({"unchecked", "rawtypes"})
  private static Class<? extends MessageHandler<?>> rawClass() {
    return (Class) OpenHandler.class;
  }
}
