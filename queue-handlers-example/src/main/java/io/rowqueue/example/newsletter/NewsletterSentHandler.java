package io.rowqueue.example.newsletter;

import com.google.inject.Inject;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.message.BatchSettings;

/** Notes that a newsletter has gone to everybody, and what became of its mails. */
final class NewsletterSentHandler implements MessageHandler<NewsletterSent> {

  @Inject
  NewsletterSentHandler() {}

  @Override
  public void handle(NewsletterSent sent, HandlerContext context) {
    context
        .transaction()
        .execute(
            "INSERT INTO shop_newsletter (subject, counts) VALUES (?, ?)",
            sent.subject(),
            context.headers().get(BatchSettings.COUNTS_HEADER));
  }
}
