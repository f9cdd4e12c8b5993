package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.AbstractModule;
import com.google.inject.Inject;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.testkit.Fault;
import io.rowqueue.testkit.InMemoryQueue;
import io.rowqueue.testkit.TestWorker;
import io.rowqueue.testkit.TestedHandler;
import io.rowqueue.testkit.TestedHandling;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class TestingSnippetsTest {

  record SignedUp(String name) {}

  record Reminder(String name, int number) {}

  /** Where names are known to be taken. */
  interface Names {
    boolean isTaken(String name);
  }

  static final class SignUpModule extends AbstractModule {
    @Override
    protected void configure() {
      bind(Names.class).toInstance(name -> false);
      HandlerBinder.bind(binder(), "signed.up", SignedUpHandler.class);
    }
  }

  static final class SignedUpHandler implements MessageHandler<SignedUp> {

    private final MessageProducer producer;
    private final Names names;

    @Inject
    SignedUpHandler(MessageProducer producer, Names names) {
      this.producer = producer;
      this.names = names;
    }

    @Override
    public void handle(SignedUp signedUp, HandlerContext context) {
      producer.enqueue(
          context.connection(),
          NewMessage.of("reminder", new Reminder(signedUp.name(), 1))
              .withDelay(Duration.ofDays(7)));
      if (names.isTaken(signedUp.name())) {
        throw new IllegalStateException(signedUp.name() + " is taken");
      }
    }
  }

  // snippet: tested-handler-enqueues
  @Test
  void signUp_ofANewName_isRemindedInAWeek() {
    TestedHandling handling =
        TestedHandler.of("signed.up", new SignUpModule()).handle(new SignedUp("Ada"));
    assertThat(handling)
        .isAcked()
        .hasEnqueued("reminder")
        .withPayload(new Reminder("Ada", 1))
        .scheduledIn(Duration.ofDays(7))
        .once()
        .andNothingElse();
  }

  // end snippet

  @Test
  void signUp_ofATakenName_enqueuesNothingAndIsRetried() {
    TestedHandler signUps =
        TestedHandler.of("signed.up", new SignUpModule()).with(Names.class, name -> true);
    assertThat(signUps.handle(new SignedUp("Ada"))).isRetried().hasEnqueuedNothing();
    assertThat(signUps.handleToTheEnd(new SignedUp("Ada"))).hasSize(HandlerDefaults.MAX_ATTEMPTS);
  }

  @Test
  void signUp_thatFailedTooOften_isRedriven_onceItsNameIsFree() {
    AtomicBoolean taken = new AtomicBoolean(true);
    InMemoryQueue queue =
        InMemoryQueue.of(new SignUpModule()).with(Names.class, name -> taken.get());
    queue.enqueue("signed.up", new SignedUp("Ada"));
    for (int attempt = 1; attempt <= HandlerDefaults.MAX_ATTEMPTS; attempt++) {
      assertThat(queue.drain()).hasSize(1);
      queue.advance(Duration.ofDays(1));
    }
    assertThat(queue)
        .isEmpty()
        .hasDeadLetter("signed.up")
        .withReason(DeadLetterReason.ATTEMPTS_EXHAUSTED);
    taken.set(false);
    queue.redriveAll();
    queue.drain();
    assertThat(queue).hasEnqueued("reminder").scheduledIn(Duration.ofDays(7)).once();
  }

  // snippet: in-memory-crash
  @Test
  void signUp_whoseWorkerDies_isHandledByAnother_whenTheLeaseIsOver() {
    InMemoryQueue queue = InMemoryQueue.of(new SignUpModule());
    queue.enqueue("signed.up", new SignedUp("Ada"));
    queue.failNext(Fault.CRASH_BEFORE_COMMIT);
    queue.drain();
    assertThat(queue).hasInFlight(1).hasNothingOf("reminder");
    queue.advance(TestWorker.LEASE.plusSeconds(1));
    queue.drain();
    assertThat(queue).hasEnqueued("reminder").once().andNothingElse();
  }
  // end snippet
}
