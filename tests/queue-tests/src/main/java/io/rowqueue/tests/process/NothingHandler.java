package io.rowqueue.tests.process;

import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;

/** Does nothing. */
public final class NothingHandler implements MessageHandler<NothingHandler.Nothing> {

  /** Its topic. */
  public static final String TOPIC = "nothing";

  /** For Guice. */
  public NothingHandler() {}

  /** A payload without content. */
  public record Nothing() {}

  @Override
  public void handle(Nothing nothing, HandlerContext context) {}
}
