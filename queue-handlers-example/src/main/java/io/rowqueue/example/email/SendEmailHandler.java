package io.rowqueue.example.email;

import com.google.inject.Inject;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import jakarta.mail.MessagingException;

/**
 * Sends what others have written. An address that the server refuses for good makes a dead letter;
 * whatever may pass is retried.
 */
final class SendEmailHandler implements MessageHandler<SendEmail> {

  private final Mailer mailer;

  @Inject
  SendEmailHandler(Mailer mailer) {
    this.mailer = mailer;
  }

  @Override
  public void handle(SendEmail email, HandlerContext context) throws MessagingException {
    mailer.send(email, context.idempotencyKey());
  }
}
