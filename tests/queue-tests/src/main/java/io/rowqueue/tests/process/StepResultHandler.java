package io.rowqueue.tests.process;

import com.google.inject.Inject;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.ResultHandler;

/** Does the same, and gives back which message it did it for. */
final class StepResultHandler implements ResultHandler<Step, Long> {

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
