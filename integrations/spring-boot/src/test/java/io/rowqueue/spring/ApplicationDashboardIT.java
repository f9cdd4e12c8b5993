package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.spring.shop.ShopApplication;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.io.File;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** The dashboard in an application, behind its Spring Security. */
@QueueTest
class ApplicationDashboardIT {

  private static final Pattern TOKEN = Pattern.compile("name=\"csrf\" value=\"([\\w-]+)\"");
  private static final Pattern PORT = Pattern.compile("Tomcat started on port (\\d+)");
  private static final String ENABLED = "rowqueue.dashboard.enabled=true";
  private static final String USE_MANAGEMENT_PORT = "rowqueue.dashboard.use-management-port=true";

  private static final String ROLE = "rowqueue.dashboard.role=OPERATOR";

  /** As on the page: the dashboard's forms have a token of its own. */
  private static final String PROFILES = "spring.profiles.active=secured";

  @Test
  void dashboard_isForAuthenticatedUsers(QueueDatabase database) {
    database.queue().enqueue("order.placed", "a");
    try (var context = start(database, 5)) {
      assertThat(Applications.send(context, "/app/rowqueue", builder -> builder).statusCode())
          .isEqualTo(401);
      HttpResponse<String> page = Applications.get(context, "/app/rowqueue/topics");
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body())
          .contains("order.placed", "ada")
          .contains("href=\"/app/rowqueue/static/dashboard.css\"")
          .doesNotContain("\"/dashboard");
      assertThat(page.headers().firstValue("Content-Security-Policy")).isPresent();
      assertThat(Applications.get(context, "/app/rowqueue/static/dashboard.css").statusCode())
          .isEqualTo(200);
      assertThat(Applications.get(context, "/app/rowqueue/nothing").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void dashboard_behindAGatewayThatCutsAPrefix_findsItsPages(QueueDatabase database) {
    try (var context =
        start(
            database,
            5,
            "server.forward-headers-strategy=framework",
            "rowqueue.dashboard.base-path=/shop")) {
      HttpResponse<String> page =
          Applications.send(
              context,
              "/app/rowqueue/topics",
              request -> Applications.asAda(request).header("X-Forwarded-Prefix", "/shop"));
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body()).contains("href=\"/shop/app/rowqueue/static/dashboard.css\"");
    }
  }

  /** A proxy without them would pass a Host that no browser has seen. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "X-Forwarded-Host: Shop.example, X-Forwarded-Proto: https | https://shop.example | 303",
        "Forwarded: proto=https;host=shop.example | https://shop.example | 303",
        "Forwarded: proto=https;host=shop.example | https://evil.example | 403",
        "Forwarded: proto=https;host=shop.example | http://shop.example | 403"
      })
  void change_behindAProxy_isForItsOwnOrigin(
      String headers, String origin, int status, QueueDatabase database) {
    database.queue().enqueue("order.placed", "a");
    try (var context = start(database, 5, ROLE, "server.forward-headers-strategy=framework")) {
      String port = context.getEnvironment().getRequiredProperty("local.server.port");
      HttpResponse<String> page = page(port, "/app");
      HttpResponse<String> answer =
          pause(
              port,
              "/app",
              cookie(page),
              token(page),
              request -> {
                for (String header : headers.split(", ", -1)) {
                  String[] parts = header.split(": ", 2);
                  request.header(parts[0], parts[1]);
                }
                return request.header("Origin", origin);
              });
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
      assertThat(paused(database)).isEqualTo(status == 303 ? 1 : 0);
    }
  }

  @Test
  void dashboard_showsFurtherQueues(QueueDatabase database) {
    database.queue().enqueue("order.placed", "a");
    try (QueueDatabase billing = QueueDatabase.create();
        var context =
            start(database, 5, "rowqueue.dashboard.queues.billing.url=" + billing.url())) {
      billing.queue().enqueue("invoice.send", "b");
      assertThat(Applications.get(context, "/app/rowqueue/topics").body())
          .contains("order.placed", "href=\"/app/rowqueue/q/billing/topics\"")
          .doesNotContain("invoice.send");
      assertThat(Applications.get(context, "/app/rowqueue/q/billing/topics").body())
          .contains("invoice.send", "href=\"/app/rowqueue/topics\"")
          .doesNotContain("order.placed");
      assertThat(Applications.get(context, "/app/rowqueue/q/billings").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void dashboard_withAFurtherQueueWithoutUrl_doesNotStart(QueueDatabase database) {
    String account = "rowqueue.dashboard.queues.billing.username=ada";
    assertThatThrownBy(() -> start(database, 5, account).close())
        .hasStackTraceContaining("rowqueue.dashboard.queues.billing.url: ");
  }

  @Test
  void change_needsTheTokenOfThePage(QueueDatabase database) {
    database.queue().enqueue("order.placed", "a");
    try (var context = start(database, 5, ROLE)) {
      assertChangesNeedTheToken(
          database, context.getEnvironment().getRequiredProperty("local.server.port"), "/app");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"rowqueue.dashboard.path=/rowqueue", "rowqueue.dashboard.role=ADMIN"})
  void change_needsTheRole(String property, QueueDatabase database) {
    database.queue().enqueue("order.placed", "a");
    try (var context = start(database, 5, property)) {
      String port = context.getEnvironment().getRequiredProperty("local.server.port");
      HttpResponse<String> page = page(port, "/app");
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body()).contains("<body class=\"read-only ");
      HttpResponse<String> refused = pause(port, "/app", cookie(page), token(page));
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(refused.body()).contains("may only read");
      assertThat(paused(database)).isZero();
    }
  }

  /** Its server has Actuator's base path, and the application's Spring Security. */
  @Test
  void dashboard_usesTheManagementPort(QueueDatabase database) {
    database.queue().enqueue("order.placed", "a");
    try (var context =
        start(
            database,
            5,
            ROLE,
            USE_MANAGEMENT_PORT,
            "management.server.port=0",
            "management.server.base-path=/manage")) {
      assertThat(Applications.get(context, "/app/rowqueue/topics").statusCode()).isEqualTo(404);
      String port = context.getEnvironment().getRequiredProperty("local.management.port");
      assertThat(Applications.send(port, "/manage/rowqueue", with -> with).statusCode())
          .isEqualTo(401);
      HttpResponse<String> page =
          Applications.send(port, "/manage/rowqueue/topics", Applications::asAda);
      assertThat(page.statusCode()).isEqualTo(200);
      assertThat(page.body())
          .contains("order.placed", "ada")
          .contains("href=\"/manage/rowqueue/static/dashboard.css\"")
          .doesNotContain("\"/rowqueue", "\"/app");
      assertThat(page.headers().firstValue("Set-Cookie").orElseThrow())
          .contains("Path=/manage/rowqueue;");
      assertThat(statusAsAda(port, "/manage/rowqueue/static/dashboard.css")).isEqualTo(200);
      assertThat(statusAsAda(port, "/manage/actuator/rowqueue")).isEqualTo(200);
      assertChangesNeedTheToken(database, port, "/manage");
    }
  }

  @Test
  void dashboard_withoutAManagementPortOfItsOwn_usesThePortOfTheApplication(
      QueueDatabase database) {
    try (var context = start(database, 5, USE_MANAGEMENT_PORT)) {
      assertThat(Applications.get(context, "/app/rowqueue/topics").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void dashboard_onADisabledManagementPort_isOff(QueueDatabase database) {
    try (var context = start(database, 5, USE_MANAGEMENT_PORT, "management.server.port=-1")) {
      assertThat(Applications.get(context, "/app/rowqueue/topics").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void dashboard_withAManagementPortThatItDoesNotUse_staysOnThePortOfTheApplication(
      QueueDatabase database) {
    try (var context = start(database, 5, "management.server.port=0")) {
      assertThat(Applications.get(context, "/app/rowqueue/topics").statusCode()).isEqualTo(200);
      String port = context.getEnvironment().getRequiredProperty("local.management.port");
      assertThat(statusAsAda(port, "/rowqueue/topics")).isEqualTo(404);
    }
  }

  @Test
  void dashboard_leavesConnectionsAsTheyWere(QueueDatabase database) throws SQLException {
    try (var context = start(database, 1)) {
      List<CompletableFuture<Integer>> answers =
          IntStream.range(0, 6)
              .mapToObj(
                  i ->
                      CompletableFuture.supplyAsync(
                          () -> Applications.get(context, "/app/rowqueue/workers").statusCode()))
              .toList();
      assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).isEqualTo(200));
      String timeout = database.isMariaDb() ? "max_statement_time" : "max_execution_time";
      try (Connection connection = context.getBean(HikariDataSource.class).getConnection();
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery(
                  "SELECT @@SESSION.%s = @@GLOBAL.%s, @@autocommit".formatted(timeout, timeout))) {
        assertThat(row.next()).isTrue();
        assertThat(row.getInt(1)).isEqualTo(1);
        assertThat(row.getInt(2)).isEqualTo(1);
        statement.execute("DELETE FROM queue_message");
      }
    }
  }

  @Test
  void dashboard_isOffByDefault(QueueDatabase database) {
    try (var context =
        Applications.startWeb(
            database, ShopApplication.class, 5, PROFILES, "rowqueue.worker.enabled=false")) {
      assertThat(Applications.get(context, "/rowqueue").statusCode()).isEqualTo(404);
    }
  }

  /** As Spring Security, a filter of the application may say who the user is. */
  @Tag("ci")
  @Test
  void dashboard_withoutSpringSecurityAndActuator_refusesWhomNoFilterKnows(
      QueueDatabase database, @TempDir Path logs) throws Exception {
    database.queue().enqueue("order.placed", "a");
    runWithout(
        List.of("-security-", "-actuator-"),
        database,
        logs.resolve("log"),
        1,
        ports -> {
          String port = ports.get(0);
          HttpResponse<String> refused = Applications.send(port, "/rowqueue/topics", with -> with);
          assertThat(refused.statusCode()).isEqualTo(403);
          assertThat(refused.body()).contains("authenticated users").doesNotContain("order.placed");
          HttpResponse<String> change =
              Applications.send(
                  port,
                  "/rowqueue/topics/pause",
                  with -> with.POST(HttpRequest.BodyPublishers.ofString("topic=order.placed")));
          assertThat(change.statusCode()).isEqualTo(403);
          assertThat(paused(database)).isZero();
          HttpResponse<String> page =
              Applications.send(port, "/rowqueue/topics", with -> with.header("User", "ada"));
          assertThat(page.statusCode()).isEqualTo(200);
          assertThat(page.body()).contains("order.placed", "ada");
        });
  }

  /** Filters of the application are not applied to the management port. */
  @Tag("ci")
  @Test
  void dashboard_onAManagementPortWithoutSpringSecurity_refusesEverybody(
      QueueDatabase database, @TempDir Path logs) throws Exception {
    database.queue().enqueue("order.placed", "a");
    runWithout(
        List.of("-security-"),
        database,
        logs.resolve("log"),
        2,
        ports -> {
          assertThat(Applications.send(ports.get(0), "/rowqueue", with -> with).statusCode())
              .isEqualTo(404);
          for (String user : List.of("", "ada")) {
            HttpResponse<String> refused =
                Applications.send(
                    ports.get(1), "/rowqueue/topics", with -> with.header("User", user));
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body())
                .contains("authenticated users")
                .doesNotContain("order.placed");
          }
        });
  }

  /**
   * Runs the application in a process without the jars whose paths contain one of {@code jars}, and
   * passes the ports of its {@code servers}.
   */
  private static void runWithout(
      List<String> jars,
      QueueDatabase database,
      Path log,
      int servers,
      ThrowingConsumer<List<String>> test)
      throws Exception {
    String classPath =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> jars.stream().noneMatch(entry::contains))
            .collect(Collectors.joining(File.pathSeparator));
    Process process =
        Applications.startApart(
            classPath,
            log,
            ShopApplication.class,
            Applications.arguments(
                database,
                5,
                "spring.profiles.active=header-user",
                ENABLED,
                USE_MANAGEMENT_PORT,
                "rowqueue.worker.enabled=false",
                "server.port=0",
                "management.server.port=0",
                "logging.level.org.springframework.boot=INFO"));
    try {
      List<String> ports =
          Await.until(
              "the web servers have started",
              Duration.ofMinutes(2),
              () ->
                  PORT.matcher(Files.readString(log)).results().map(port -> port.group(1)).toList(),
              started -> started.size() == servers);
      test.accept(ports);
    } finally {
      process.destroyForcibly();
      process.waitFor();
    }
  }

  private static ConfigurableApplicationContext start(
      QueueDatabase database, int connections, String... properties) {
    List<String> all =
        new ArrayList<>(
            List.of(
                PROFILES,
                ENABLED,
                "rowqueue.worker.enabled=false",
                "rowqueue.schema=validate",
                "server.servlet.context-path=/app"));
    all.addAll(List.of(properties));
    return Applications.startWeb(
        database, ShopApplication.class, connections, all.toArray(String[]::new));
  }

  /** Pauses a topic on the dashboard of the server with this port and base path. */
  private static void assertChangesNeedTheToken(QueueDatabase database, String port, String base) {
    HttpResponse<String> page = page(port, base);
    assertThat(page.body()).doesNotContain("read-only");
    assertThat(pause(port, base, cookie(page), "another").statusCode()).isEqualTo(403);
    assertThat(paused(database)).isZero();
    HttpResponse<String> changed = pause(port, base, cookie(page), token(page));
    assertThat(changed.statusCode()).isEqualTo(303);
    assertThat(changed.headers().firstValue("Location").orElseThrow())
        .startsWith(base + "/rowqueue/topics");
    assertThat(paused(database)).isEqualTo(1);
  }

  private static HttpResponse<String> page(String port, String base) {
    return Applications.send(port, base + "/rowqueue/topics", Applications::asAda);
  }

  private static String token(HttpResponse<String> page) {
    Matcher token = TOKEN.matcher(page.body());
    assertThat(token.find()).as(page.body()).isTrue();
    return token.group(1);
  }

  private static String cookie(HttpResponse<String> page) {
    String set = page.headers().firstValue("Set-Cookie").orElseThrow();
    return set.substring(0, set.indexOf(';'));
  }

  private static HttpResponse<String> pause(String port, String base, String cookie, String token) {
    return pause(port, base, cookie, token, request -> request);
  }

  private static HttpResponse<String> pause(
      String port,
      String base,
      String cookie,
      String token,
      UnaryOperator<HttpRequest.Builder> with) {
    return Applications.send(
        port,
        base + "/rowqueue/topics/pause",
        builder ->
            Applications.asAda(with.apply(builder))
                .header("Cookie", cookie)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("topic=order.placed&csrf=" + token)));
  }

  private static int statusAsAda(String port, String path) {
    return Applications.send(port, path, Applications::asAda).statusCode();
  }

  private static long paused(QueueDatabase database) {
    return database.count("SELECT COUNT(*) FROM queue_topic WHERE paused = 1");
  }
}
