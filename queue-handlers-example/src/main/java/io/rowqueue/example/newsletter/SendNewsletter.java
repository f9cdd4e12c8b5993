package io.rowqueue.example.newsletter;

/**
 * A mail to every customer; the payload of topic {@code newsletter.send}.
 *
 * @param subject one line, by which the shop knows it again; at most 200 characters
 * @param text the body
 */
public record SendNewsletter(String subject, String text) {

  /** Where these are enqueued. */
  public static final String TOPIC = "newsletter.send";
}
