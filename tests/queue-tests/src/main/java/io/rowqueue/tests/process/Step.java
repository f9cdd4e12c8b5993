package io.rowqueue.tests.process;

import com.google.inject.AbstractModule;
import com.google.inject.Inject;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.handler.BatchHandler;
import io.rowqueue.handler.CancelMessage;
import io.rowqueue.handler.Delivery;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.ReleaseMessage;
import io.rowqueue.handler.ResultHandler;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.internal.database.TransactionProbe;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A message of the crash test. */
public record Step(What what) {

  public static final String TOPIC = "crash";

  public static final String SHARED_TOPIC = "crash.shared";

  public static final String BATCH_TOPIC = "crash.batch";

  /** Handled without a transaction, and so without an effect in this database. */
  public static final String OUTSIDE_TOPIC = "crash.outside";

  /** Handled one by one, and what its handler gives back is kept. */
  public static final String RESULT_TOPIC = "crash.result";

  /** SQL for the name of the lock behind which a handling waits, one of each schema. */
  public static final String GO = "CONCAT('go-', DATABASE())";

  /** How a handling ends, after it has written its effect. */
  public enum What {
    SUCCEED,
    FAIL_ONCE,
    REJECT,
    /** The first claim is given back, the second ends well. */
    RELEASE,
    /** The first claim ends only when it is interrupted, the second ends well. */
    WAIT_ONCE,
    /** The first claim ends when the lock {@link Step#GO} is free. */
    WAIT_FOR_GO,
    /** The first claim reports how far it is, until it is interrupted; the second ends well. */
    REPORT,
    /** Waits until it is asked to stop, and stops. */
    HEED
  }

  /** Writes its effect, and then ends as the message says. */
  static final class StepHandler implements MessageHandler<Step> {

    @Override
    public void handle(Step step, HandlerContext context) throws InterruptedException {
      context
          .transaction()
          .execute(
              "INSERT INTO effect (message_id, claim, pid) VALUES (?, ?, ?)",
              context.id().value(),
              context.claimNumber(),
              ProcessHandle.current().pid());
      switch (step.what()) {
        case SUCCEED -> {}
        case FAIL_ONCE -> {
          if (context.attempt() == 1) {
            throw new IllegalStateException("the first attempt fails");
          }
        }
        case REJECT -> throw new PermanentFailure("no attempt can end well");
        case RELEASE -> {
          if (context.claimNumber() == 1) {
            throw new ReleaseMessage(Duration.ZERO, "not me");
          }
        }
        case WAIT_ONCE -> {
          if (context.claimNumber() == 1) {
            new CountDownLatch(1).await();
          }
        }
        case WAIT_FOR_GO -> {
          if (context.claimNumber() == 1) {
            awaitGo(context);
          }
        }
        case REPORT -> {
          if (context.claimNumber() == 1) {
            context.progress(1, 2, "half of it");
            new CountDownLatch(1).await();
          }
        }
        case HEED -> {
          // Polled as users do: a plug-in has nothing of the testkit.
          while (!context.isCancelRequested()) {
            TimeUnit.MILLISECONDS.sleep(10);
          }
          throw new CancelMessage("as asked");
        }
      }
    }

    /** It waits in the server, as one behind a lock does. */
    private static void awaitGo(HandlerContext context) {
      context.transaction().execute("DO GET_LOCK(" + Step.GO + ", 60)");
    }
  }

  /** Writes the effects of a whole batch. */
  static final class StepBatchHandler implements BatchHandler<Step> {

    private final StepHandler one = new StepHandler();

    @Override
    public void handle(List<Delivery<Step>> batch) throws InterruptedException {
      for (Delivery<Step> each : batch) {
        one.handle(each.payload(), each.context());
      }
    }
  }

  /** Does the same, and gives back which message it did it for. */
  static final class StepResultHandler implements ResultHandler<Step, Long> {

    private final StepHandler handler;

    @Inject
    StepResultHandler(StepHandler handler) {
      this.handler = handler;
    }

    @Override
    public Long handle(Step step, HandlerContext context) throws Exception {
      handler.handle(step, context);
      return context.id().value();
    }
  }

  /** Has no effect in the database; the message's deletion is all that can be seen of it. */
  static final class OutsideHandler implements MessageHandler<Step> {

    @Override
    public void handle(Step step, HandlerContext context) {}
  }

  /** The handler, for the victim and for the worker that cleans up after it. */
  public static final class StepModule extends AbstractModule {

    @Override
    protected void configure() {
      HandlerSettings settings =
          HandlerSettings.defaults().withRetryPolicy(RetryPolicy.fixed(Duration.ofMillis(50)));
      HandlerBinder.bind(binder(), Step.TOPIC, StepHandler.class, settings);
      HandlerBinder.bind(
          binder(), Step.SHARED_TOPIC, StepHandler.class, settings.withSharedCommit());
      HandlerBinder.bind(binder(), Step.BATCH_TOPIC, StepBatchHandler.class, settings);
      HandlerBinder.bind(
          binder(),
          Step.RESULT_TOPIC,
          StepResultHandler.class,
          settings.withResults(Duration.ofHours(1)));
      HandlerBinder.bind(
          binder(), Step.OUTSIDE_TOPIC, OutsideHandler.class, settings.withoutTransaction());
    }
  }

  /** The victim's plug-in: the handler, and the probe that has the process killed. */
  public static final class VictimModule extends AbstractModule {

    @Override
    protected void configure() {
      install(new StepModule());
      OptionalBinder.newOptionalBinder(binder(), TransactionProbe.class)
          .setBinding()
          .toInstance(KillProbe.ofEnvironment());
    }
  }
}
