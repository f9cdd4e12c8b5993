package io.rowqueue.tests.process;

import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;

/** Has no effect in the database; the message's deletion is all that can be seen of it. */
public final class OutsideHandler implements MessageHandler<Step> {

  @Override
  public void handle(Step step, HandlerContext context) {}
}
