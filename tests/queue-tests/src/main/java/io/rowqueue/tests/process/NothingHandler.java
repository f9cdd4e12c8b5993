package io.rowqueue.tests.process;

import com.google.inject.AbstractModule;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;

/** Does nothing. */
public final class NothingHandler implements MessageHandler<NothingHandler.Nothing> {

  public static final String TOPIC = "nothing";

  /** For Guice. */
  public NothingHandler() {}

  /** A payload without content. */
  public record Nothing() {}

  @Override
  public void handle(Nothing nothing, HandlerContext context) {}

  /** Binds one handler. */
  public static final class NothingModule extends AbstractModule {

    /** For the service loader. */
    public NothingModule() {}

    @Override
    protected void configure() {
      HandlerBinder.bind(binder(), NothingHandler.TOPIC, NothingHandler.class);
    }
  }
}
