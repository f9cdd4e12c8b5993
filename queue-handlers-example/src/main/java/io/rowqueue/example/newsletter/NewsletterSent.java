package io.rowqueue.example.newsletter;

/**
 * A newsletter has gone to everybody; enqueued by the batch of its mails.
 *
 * @param subject the newsletter's
 */
record NewsletterSent(String subject) {

  static final String TOPIC = "newsletter.sent";
}
