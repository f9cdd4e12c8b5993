package io.rowqueue.example.newsletter;

import com.google.inject.Inject;
import io.rowqueue.BatchSettings;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;

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
