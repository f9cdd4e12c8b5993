package io.rowqueue.example.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.RetryAfter;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.testkit.FakeContext;
import io.rowqueue.testkit.InMemoryQueue;
import io.rowqueue.testkit.TestedHandler;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostWebhookHandlerTest {

  private final PostWebhookHandler handler = new PostWebhookHandler();
  private final List<String> received = new CopyOnWriteArrayList<>();
  private HttpServer server;
  private volatile int status = 200;
  private volatile String retryAfter = "";

  @BeforeEach
  void startServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          received.add(exchange.getRequestHeaders().getFirst("Idempotency-Key") + " " + body);
          if (!retryAfter.isEmpty()) {
            exchange.getResponseHeaders().add("Retry-After", retryAfter);
          }
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stopServer() {
    server.stop(0);
  }

  private String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/hook";
  }

  private void post() throws Exception {
    handler.handle(new PostWebhook(url(), "{\"a\":1}"), FakeContext.aContext());
  }

  @Test
  void webhook_answeredWithTooManyRequests_isTriedAgainWhenTheAnswerSays() {
    status = 429;
    retryAfter = "120";
    TestedHandler webhooks = TestedHandler.of(PostWebhook.TOPIC, new WebhookModule());
    assertThat(webhooks.handle(new PostWebhook(url(), "{}"))).isRetriedIn(Duration.ofMinutes(2));
    assertThat(webhooks.handle(new PostWebhook("ftp://example.org/", "{}")))
        .isDeadLettered(DeadLetterReason.PERMANENT_FAILURE)
        .failedSaying("no http or https address");
  }

  @Test
  void webhook_answeredWithTooManyRequests_isPostedAgainWhenItsTimeComes() {
    InMemoryQueue queue = InMemoryQueue.of(new WebhookModule());
    queue.enqueue(PostWebhook.TOPIC, new PostWebhook(url(), "{}"));
    status = 429;
    retryAfter = "120";
    queue.drain();
    assertThat(queue)
        .hasEnqueued(PostWebhook.TOPIC)
        .failedTimes(1)
        .scheduledIn(Duration.ofMinutes(2))
        .once();
    status = 200;
    queue.advance(Duration.ofMinutes(2));
    queue.drain();
    assertThat(queue).isEmpty().hasNoDeadLetters();
    assertThat(received).hasSize(2);
  }

  @Test
  void handle_accepted_postsTheBodyWithTheKey() {
    assertThatCode(this::post).doesNotThrowAnyException();
    assertThat(received).containsExactly(FakeContext.aContext().idempotencyKey() + " {\"a\":1}");
  }

  @Test
  void handle_tooManyRequests_waitsAsAskedWithinReason() {
    status = 429;
    retryAfter = "120";
    assertThatThrownBy(this::post)
        .isInstanceOfSatisfying(
            RetryAfter.class, e -> assertThat(e.delay()).isEqualTo(Duration.ofMinutes(2)));
    status = 503;
    retryAfter = "999999";
    assertThatThrownBy(this::post)
        .isInstanceOfSatisfying(
            RetryAfter.class, e -> assertThat(e.delay()).isEqualTo(Duration.ofHours(1)));
  }

  @ParameterizedTest
  @ValueSource(ints = {301, 400, 404, 410})
  void handle_refused_failsForGood(int answer) {
    status = answer;
    assertThatThrownBy(this::post).isInstanceOf(PermanentFailure.class);
  }

  @Test
  void handle_serverError_mayBeRetried() {
    status = 500;
    assertThatThrownBy(this::post).isInstanceOf(IOException.class).hasMessageContaining("500");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ftp://example.org/", "file:///etc/passwd", "no address", "", "/hook"})
  void handle_noHttpAddress_failsForGood(String url) {
    assertThatThrownBy(() -> handler.handle(new PostWebhook(url, "{}"), FakeContext.aContext()))
        .isInstanceOf(PermanentFailure.class);
  }
}
