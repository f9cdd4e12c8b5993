package io.rowqueue.example.newsletter;

import com.google.inject.Inject;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.example.email.SendEmail;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import java.util.List;

/** Makes a batch of one mail for each customer, in the transaction that deletes the message. */
final class SendNewsletterHandler implements MessageHandler<SendNewsletter> {

  private final BatchProducer batches;

  @Inject
  SendNewsletterHandler(MessageProducer producer) {
    this.batches = BatchProducer.over(producer);
  }

  @Override
  public void handle(SendNewsletter newsletter, HandlerContext context) {
    List<NewMessage> mails =
        context
            .transaction()
            .fetch("SELECT email FROM shop_customer ORDER BY email")
            .map(customer -> mail(customer.get(0, String.class), newsletter));
    BatchSettings settings =
        BatchSettings.named("newsletter")
            .completingWith(
                NewMessage.of(NewsletterSent.TOPIC, new NewsletterSent(newsletter.subject())));
    batches.enqueue(context.connection(), settings, mails);
  }

  private static NewMessage mail(String email, SendNewsletter newsletter) {
    return NewMessage.of(
        SendEmail.TOPIC, new SendEmail(email, newsletter.subject(), newsletter.text()));
  }
}
