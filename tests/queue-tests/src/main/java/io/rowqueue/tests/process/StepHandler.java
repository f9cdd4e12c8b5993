package io.rowqueue.tests.process;

import io.rowqueue.handle.CancelMessage;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.handle.PermanentFailure;
import io.rowqueue.handle.ReleaseMessage;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Writes its effect, and then ends as the message says. */
public final class StepHandler implements MessageHandler<Step> {

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
      case GIVE_BACK -> {
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
        while (!context.isCancelAsked()) {
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
