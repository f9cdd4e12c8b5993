package io.rowqueue.example.webhook;

/**
 * Something to tell another system; the payload of topic {@code webhook.post}.
 *
 * @param url an http or https address
 * @param body JSON
 */
public record PostWebhook(String url, String body) {

  /** Where these are enqueued. */
  public static final String TOPIC = "webhook.post";
}
