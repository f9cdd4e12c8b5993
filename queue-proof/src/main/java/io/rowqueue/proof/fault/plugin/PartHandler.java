package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;

/** Notes that a part was handled. */
final class PartHandler implements MessageHandler<Part> {

  @Inject
  PartHandler() {}

  @Override
  public void handle(Part part, HandlerContext context) {
    context.transaction().execute("INSERT INTO part_done (token) VALUES (?)", part.token());
  }
}
