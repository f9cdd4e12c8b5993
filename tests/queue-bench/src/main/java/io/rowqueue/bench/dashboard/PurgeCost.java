package io.rowqueue.bench.dashboard;

import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Purges a topic by the form that an operator sends, and says how fast that goes. */
final class PurgeCost {

  private static final Pattern TOKEN = Pattern.compile("name=\"csrf\" value=\"([\\w-]+)\"");
  private static final Duration LONGEST = Duration.ofMinutes(30);

  private PurgeCost() {}

  /** Prints a line about {@code topic}, of which nothing is in flight. */
  static void measure(QueueDatabase database, String base, String topic)
      throws IOException, InterruptedException {
    String left =
        "SELECT COUNT(*) FROM (SELECT 1 FROM queue_message WHERE topic = '%s' LIMIT %d) some";
    long waiting = database.count(left.formatted(topic, Integer.MAX_VALUE));
    long start = System.nanoTime();
    begin(base, topic);
    Await.that(
        "nothing of " + topic + " is left",
        LONGEST,
        () -> database.count(left.formatted(topic, 1)) == 0);
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf(
        Locale.ROOT,
        "%nA purge took %,d messages of one topic out of the queue in %.0f s: %,.0f a second.%n",
        waiting,
        seconds,
        waiting / seconds);
  }

  private static void begin(String base, String topic) throws IOException, InterruptedException {
    HttpClient client = HttpClient.newHttpClient();
    URI question = URI.create(base + "/topics/purge?topic=" + topic);
    HttpResponse<String> page =
        client.send(HttpRequest.newBuilder(question).build(), BodyHandlers.ofString());
    Matcher token = TOKEN.matcher(page.body());
    if (!token.find()) {
      throw new IllegalStateException("there is no form on " + question);
    }
    String name = URLEncoder.encode(topic, StandardCharsets.UTF_8);
    HttpRequest form =
        HttpRequest.newBuilder(URI.create(base + "/topics/purge"))
            .header(
                "Cookie",
                page.headers().firstValue("Set-Cookie").orElseThrow().replaceFirst(";.*", ""))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(
                BodyPublishers.ofString(
                    "csrf=%s&topic=%s&sure=%s".formatted(token.group(1), name, name)))
            .build();
    HttpResponse<String> answer = client.send(form, BodyHandlers.ofString());
    if (answer.statusCode() != 303) {
      throw new IllegalStateException(answer.statusCode() + ": " + answer.body());
    }
  }
}
