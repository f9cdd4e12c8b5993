package io.rowqueue.bench.dashboard;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.ManyMessages;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.AdminModule;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DashboardModule;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import io.rowqueue.worker.internal.WorkerPools;
import io.rowqueue.worker.internal.admin.Admin;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Fills a queue with 100 topics, ten workers, statistics of a week, 200 audit entries a topic, and
 * a fifth as many dead letters of 40 kinds as messages; asks for each page of the dashboard some
 * times; prints a table of statements, rows that the server read, bytes and times for each refresh,
 * and purges a topic. No worker runs beside it, so that every statement is the dashboard's. The
 * argument is the number of messages; the server is that of the property {@code rowqueue.test.url},
 * or an embedded one.
 */
public final class DashboardCost {

  private static final int TIMES = 10;
  private static final String PURGED = "topic.9";

  private static final String READ = "Handler_read%";

  private static final int FEW = 4;

  private static final String LATER =
      """
      SELECT DATE_FORMAT(MIN(due_at) + INTERVAL 500 SECOND, '%Y-%m-%dT%H:%i:%s.%fZ')
        FROM queue_message WHERE state = 2\
      """;

  private static final List<String> WORKERS =
      IntStream.range(0, 10)
          .mapToObj(
              """
              INSERT INTO queue_worker (lock_id, host, pid, lease_until, version, topics, started_at, updated_at)
                VALUES ('host%1$d-%1$d-x', 'host%1$d', %1$d, UTC_TIMESTAMP(6) + INTERVAL 1 DAY, '0.1.0', 'topic.1',
                  UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))\
              """
                  ::formatted)
          .toList();

  /** Longer than the dashboard keeps what it has read, where a reading takes up to 0.5 s. */
  private static final long ANEW = 12_000;

  /** Longer than the dashboard keeps its connections without a user. */
  private static final long WITHOUT_USER = 65_000;

  private DashboardCost() {}

  static final class Nothing implements MessageHandler<String> {

    @Override
    public void handle(String payload, HandlerContext context) {
      throw new IllegalStateException("nobody claims");
    }
  }

  /** Fills, asks, and prints. */
  public static void main(String... arguments) throws IOException, InterruptedException {
    long rows = arguments.length == 0 ? 5_000_000 : Long.parseLong(arguments[0]);
    try (QueueDatabase database = QueueDatabase.create()) {
      long start = System.nanoTime();
      ManyMessages.fill(database, rows, 100, rows / 5);
      WORKERS.forEach(database::execute);
      History.write(database);
      System.out.printf(
          Locale.ROOT,
          "%,d messages and %,d dead letters on %s, filled in %d s%n%n",
          database.count("SELECT COUNT(*) FROM queue_message"),
          database.count("SELECT COUNT(*) FROM queue_dead_letter"),
          database.strings("SELECT VERSION()").get(0),
          (System.nanoTime() - start) / 1_000_000_000);
      ask(database);
    }
  }

  private static void ask(QueueDatabase database) throws IOException, InterruptedException {
    Injector injector =
        Guice.createInjector(
            new WorkerModule(WorkerConfig.defaults(new DatabaseConfig(database.url(), "", ""))),
            new AdminModule(AdminConfig.onPort(0)),
            new DashboardModule(DashboardConfig.open()),
            new AbstractModule() {
              @Override
              protected void configure() {
                HandlerBinder.bind(binder(), "topic.0", Nothing.class);
              }
            });
    Admin admin = injector.getInstance(Admin.class);
    admin.begin();
    try {
      String base = "http://127.0.0.1:" + admin.port() + "/dashboard";
      long id = database.count("SELECT MAX(id) FROM queue_message");
      long dead = database.count("SELECT MAX(id) FROM queue_dead_letter");
      System.out.println("| page | statements | rows read | bytes | median ms | max ms |");
      System.out.println("|---|---|---|---|---|---|");
      long began = System.nanoTime();
      HttpClient.newHttpClient()
          .send(HttpRequest.newBuilder(URI.create(base)).build(), BodyHandlers.discarding());
      System.out.printf(
          Locale.ROOT,
          "| overview, the first time | | | | %.1f | |%n",
          (System.nanoTime() - began) / 1e6);
      measure(database, "overview, kept for another operator", base + "?fragment=1", 0);
      measure(database, "topics", base + "/topics?fragment=1", 0);
      String topic = base + "/topic?fragment=1&topic=topic.1";
      require(topic, "id=\"errors-head\"", "id=\"changes-head\"", ">Messages in the queue ");
      measure(database, "a topic", topic, 0);
      measure(database, "schedules", base + "/schedules", 0);
      measure(database, "batches and chains", base + "/batches", 0);
      measure(database, "subscriptions", base + "/subscriptions", 0);
      measure(database, "limits", base + "/limits?fragment=1", 0);
      measure(database, "doctor", base + "/doctor?fragment=1", 0);
      measure(database, "workers", base + "/workers?fragment=1", 0);
      measure(database, "messages, newest", base + "/messages", 0);
      measure(database, "messages of a topic", base + "/messages?topic=topic.1", 0);
      measure(
          database,
          "messages of a topic, deep page",
          base + "/messages?topic=topic.1&state=available&at=1&after=" + id / 2,
          0);
      measure(database, "scheduled messages", base + "/messages?state=scheduled", 0);
      measure(
          database,
          "scheduled messages, deep page",
          base + "/messages?state=scheduled&after=1&at=" + database.strings(LATER).get(0),
          0);
      measure(database, "one message", base + "/messages/" + id, 0);
      measure(database, "dead letters", base + "/dead-letters", 0);
      measure(database, "dead letters of a topic", base + "/dead-letters?topic=topic.2", 0);
      measure(database, "dead letters by error", base + "/dead-letters/groups", 0);
      measure(database, "one dead letter", base + "/dead-letters/" + dead, 0);
      measure(database, "all that match", base + "/dead-letters/all", 0);
      measure(database, "a search of dead letters", base + "/dead-letters?text=nowhere", 0);
      measure(database, "a search by error", base + "/dead-letters/groups?text=nowhere", 0);
      measure(database, "all that a search finds", base + "/dead-letters/all?text=nowhere", 0);
      measure(database, "a search of messages", base + "/messages?q=tenant%3Dnobody", 0);
      measure(database, "a search of payloads", base + "/messages?payload=nowhere", 0);
      measure(
          database,
          "all messages that a search finds",
          base + "/messages/all?topic=topic.1&q=tenant%3Dnobody",
          0);
      measure(database, "activity", base + "/activity?fragment=1", 0);
      measure(database, "a topic, read anew, over a week", topic + "&over=week", ANEW);
      measure(database, "overview, read anew", base, ANEW);
      measure(database, "overview, after a minute without a user", base, WITHOUT_USER);
      PurgeCost.measure(database, base, PURGED);
    } finally {
      admin.end();
      injector.getInstance(WorkerPools.class).close();
    }
  }

  /** Fails if a section that is to be measured is not on a page. */
  private static void require(String url, String... parts)
      throws IOException, InterruptedException {
    String page =
        HttpClient.newHttpClient()
            .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString())
            .body();
    for (String part : parts) {
      if (!page.contains(part)) {
        throw new IllegalStateException(url + " has no " + part);
      }
    }
  }

  private static void measure(QueueDatabase database, String name, String url, long between)
      throws IOException, InterruptedException {
    try (Connection connection = database.connect();
        PreparedStatement status = connection.prepareStatement("SHOW GLOBAL STATUS LIKE ?")) {
      measure(status, name, url, between);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void measure(PreparedStatement status, String name, String url, long between)
      throws IOException, InterruptedException, SQLException {
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
    client.send(request, BodyHandlers.ofByteArray());
    int times = between == WITHOUT_USER ? FEW : TIMES;
    long[] nanos = new long[times];
    long bytes = 0;
    long statements = status(status, "Com_select");
    long before = status(status, READ);
    long rows = status(status, READ);
    long poll = rows - before;
    for (int i = 0; i < times; i++) {
      Thread.sleep(between);
      long start = System.nanoTime();
      var answer = client.send(request, BodyHandlers.ofByteArray());
      nanos[i] = System.nanoTime() - start;
      bytes = answer.body().length;
      if (answer.statusCode() != 200) {
        throw new IllegalStateException(
            url + ": " + new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8));
      }
    }
    long readNow = status(status, READ) - rows - poll;
    Arrays.sort(nanos);
    System.out.printf(
        Locale.ROOT,
        "| %s | %.1f | %,d | %,d | %.1f | %.1f |%n",
        name,
        (status(status, "Com_select") - statements) / (double) times,
        readNow / times,
        bytes,
        nanos[times / 2] / 1e6,
        nanos[times - 1] / 1e6);
  }

  /** The sum of the server's counters of that name; the statement itself reads rows, too. */
  private static long status(PreparedStatement statement, String pattern) throws SQLException {
    statement.setString(1, pattern);
    long sum = 0;
    try (ResultSet found = statement.executeQuery()) {
      while (found.next()) {
        sum += found.getLong(2);
      }
    }
    return sum;
  }

  /** Purges a topic by the form that an operator sends, and says how fast that goes. */
  static final class PurgeCost {

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
}
