package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;

/** Notes which step of which chain it was; each second step fails once. */
final class StepHandler implements MessageHandler<Step> {

  @Inject
  StepHandler() {}

  @Override
  public void handle(Step step, HandlerContext context) {
    context
        .transaction()
        .execute("INSERT INTO step (chain, number) VALUES (?, ?)", step.chain(), step.number());
    if (step.number() == 2 && context.attempt() == 1) {
      throw new IllegalStateException("the first attempt fails");
    }
  }
}
