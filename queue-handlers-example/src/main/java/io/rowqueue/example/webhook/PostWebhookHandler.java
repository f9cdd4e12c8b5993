package io.rowqueue.example.webhook;

import com.google.inject.Inject;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.RetryAfter;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * Posts with an {@code Idempotency-Key}, by which the other side recognises a repetition. 2xx is
 * done; 429 and 503 wait as the answer asks; other 4xx will never work; the rest is retried.
 */
final class PostWebhookHandler implements MessageHandler<PostWebhook> {

  private static final Duration TIMEOUT = Duration.ofSeconds(20);
  private static final Duration WAIT_MOST = Duration.ofHours(1);
  private static final Duration WAIT_UNASKED = Duration.ofSeconds(30);

  private final HttpClient client =
      HttpClient.newBuilder()
          .connectTimeout(TIMEOUT)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  @Inject
  PostWebhookHandler() {}

  @Override
  public void handle(PostWebhook webhook, HandlerContext context)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(address(webhook))
            .timeout(TIMEOUT)
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", context.idempotencyKey())
            .POST(HttpRequest.BodyPublishers.ofString(webhook.body()))
            .build();
    check(webhook, client.send(request, HttpResponse.BodyHandlers.discarding()));
  }

  private static URI address(PostWebhook webhook) {
    try {
      URI address = URI.create(webhook.url());
      if (address.getHost() != null && String.valueOf(address.getScheme()).matches("https?")) {
        return address;
      }
    } catch (IllegalArgumentException e) {
      throw new PermanentFailure("no address: " + webhook.url(), e);
    }
    throw new PermanentFailure("no http or https address: " + webhook.url());
  }

  // snippet: outcomes
  private static void check(PostWebhook webhook, HttpResponse<Void> response) throws IOException {
    int status = response.statusCode();
    String answer = webhook.url() + " answered " + status;
    if (status / 100 == 2) {
      return;
    }
    if (status == 429 || status == 503) {
      throw new RetryAfter(wait(response), answer);
    }
    if (status / 100 == 4 || status / 100 == 3) {
      throw new PermanentFailure(answer);
    }
    throw new IOException(answer);
  }

  // end snippet

  /** What Retry-After asks for in seconds, within reason. */
  private static Duration wait(HttpResponse<Void> response) {
    return response
        .headers()
        .firstValue("Retry-After")
        .filter(value -> value.matches("\\d{1,6}"))
        .map(value -> Duration.ofSeconds(Long.parseLong(value)))
        .map(wait -> wait.compareTo(WAIT_MOST) > 0 ? WAIT_MOST : wait)
        .orElse(WAIT_UNASKED);
  }
}
