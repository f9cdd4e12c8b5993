package io.rowqueue.example.email;

/**
 * An e-mail to send; the payload of topic {@code email.send}.
 *
 * @param to the recipient's address
 * @param subject one line
 * @param text the body
 */
public record SendEmail(String to, String subject, String text) {

  /** Where these are enqueued. */
  public static final String TOPIC = "email.send";
}
