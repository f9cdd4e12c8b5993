package org.example.greeting;

import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.PermanentFailure;

/** Writes a greeting in the transaction that deletes its message. */
final class GreetingHandler implements MessageHandler<Greeting> {

  @Override
  public void handle(Greeting greeting, HandlerContext context) {
    if (greeting.name().isBlank()) {
      throw new PermanentFailure("nobody to greet");
    }
    context
        .transaction()
        .execute("INSERT INTO greeting (text) VALUES (?)", "Hello, " + greeting.name());
  }
}
