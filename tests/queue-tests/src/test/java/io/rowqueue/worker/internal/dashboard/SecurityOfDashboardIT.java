package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.OwnThreads;
import io.rowqueue.tests.process.Checkout;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.Credentials;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.Permission;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(OwnThreads.class)
@QueueTest
class SecurityOfDashboardIT {

  static final List<String> PATHS =
      List.of(
          "/dashboard",
          "/dashboard?over=week",
          "/dashboard/topics",
          "/dashboard/topic?topic=held",
          "/dashboard/topic/settings?topic=held",
          "/dashboard/topics/purge?topic=held",
          "/dashboard/messages",
          "/dashboard/messages?state=scheduled",
          "/dashboard/messages?topic=other",
          "/dashboard/messages?q=a%3Db",
          "/dashboard/messages?q=a",
          "/dashboard/messages/all",
          "/dashboard/dead-letters",
          "/dashboard/dead-letters/all",
          "/dashboard/dead-letters/groups",
          "/dashboard/schedules",
          "/dashboard/batches",
          "/dashboard/subscriptions",
          "/dashboard/limits",
          "/dashboard/doctor",
          "/dashboard/workers",
          "/dashboard/activity",
          "/dashboard/activity?target=%3Cscript%3E&user=%22%3E");

  private static final String PAUSE = "/dashboard/topics/pause";
  private static final String TOPICS = "/dashboard/topics";
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src"
          + " 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'";
  private static final String TOKEN = "a-token-of-some-length";

  private final QueueDatabase database;
  private Scene scene;

  SecurityOfDashboardIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void open() {
    scene = Scene.open(database);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private boolean isPaused() {
    return database.count("SELECT COUNT(*) FROM queue_topic WHERE paused = 1") > 0;
  }

  @Test
  void pages_ofAllKinds_haveThePolicyAndNothingInline() {
    scene.fail(1);
    scene.enqueue(Scene.HOSTILE_TOPIC, 1);
    for (String path : PATHS) {
      HttpResponse<String> page = scene.operator().get(path);
      assertThat(page.headers().firstValue("Content-Security-Policy")).contains(POLICY);
      assertThat(page.headers().firstValue("X-Content-Type-Options")).contains("nosniff");
      assertThat(page.headers().firstValue("Cache-Control")).contains("no-store");
      assertThat(page.headers().firstValue("Set-Cookie").orElseThrow())
          .contains("HttpOnly")
          .contains("SameSite=Strict");
      assertThat(page.body())
          .doesNotContain(Scene.HOSTILE_TOPIC)
          .doesNotContain("<script>")
          .doesNotContain("<style")
          .doesNotContain(" style=")
          .doesNotContainPattern("\\son[a-z]+=");
    }
  }

  @Test
  void payloads_thatAreHostile_areShownAsText() {
    String hex = "00ff3c7363726970743e".repeat(20);
    String quoted = Scene.HOSTILE.replace("'", "''");
    database.execute(
        "INSERT INTO queue_message (topic, payload, headers) VALUES ('other', '%s', '%s')"
            .formatted(quoted, quoted),
        "INSERT INTO queue_message (topic, payload) VALUES ('other', UNHEX('%s'))".formatted(hex),
        "INSERT INTO queue_message (topic, payload) VALUES ('other', REPEAT('x<', 4194304))",
        "INSERT INTO queue_message (topic, payload) VALUES ('other', REPEAT('[', 60000))",
        "INSERT INTO queue_message (topic, payload, headers)"
            + " VALUES ('other', 'x', '{\"rowqueue-wrapped\":\"sealed\"}')");
    List<String> ids = database.strings("SELECT CAST(id AS CHAR) FROM queue_message ORDER BY id");
    Operator operator = scene.operator();
    String text = operator.page("/dashboard/messages/" + ids.get(0));
    assertThat(text)
        .contains("&lt;script&gt;", "Copy payload")
        .doesNotContain("<script>doc", "<img");
    assertThat(operator.page("/dashboard/messages/" + ids.get(1)))
        .contains("binary, as hex")
        .contains("00 ff 3c 73");
    String large = operator.page("/dashboard/messages/" + ids.get(2));
    assertThat(large).contains("The first 64.0 KiB of 8.0 MiB", "Copy shown part");
    assertThat(large).hasSizeLessThan(400_000);
    assertThat(operator.page("/dashboard/messages/" + ids.get(3))).hasSizeLessThan(4_000_000);
    assertThat(operator.page("/dashboard/messages/" + ids.get(4))).contains("does not decode it");
  }

  @Test
  void form_withoutItsToken_changesNothing() {
    Operator operator = scene.operator();
    String token = operator.token(TOPICS);
    assertThat(operator.post(PAUSE, null, "topic", "held").statusCode()).isEqualTo(403);
    assertThat(operator.post(PAUSE, "x" + token, "topic", "held").statusCode()).isEqualTo(403);
    String others = scene.operator().token(TOPICS);
    assertThat(operator.post(PAUSE, others, "topic", "held").statusCode()).isEqualTo(403);
    assertThat(new Operator(scene.port()).post(PAUSE, token, "topic", "held").statusCode())
        .isEqualTo(403);
    assertThat(isPaused()).isFalse();
    assertThat(operator.post(PAUSE, token, "topic", "held").statusCode()).isEqualTo(303);
    assertThat(isPaused()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Origin: https://evil.example",
        "Origin: null",
        "Origin: http://127.0.0.1",
        "Origin: http://127.0.0.1.evil.example:PORT",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site"
      })
  void form_fromAnotherSite_changesNothing(String header) {
    String[] parts = header.split(": ", -1);
    String value = parts[1].replace("PORT", Integer.toString(scene.port()));
    Operator operator = scene.operator().with(parts[0], value);
    HttpResponse<String> answer = operator.submit(TOPICS, PAUSE, "topic", "held");
    assertThat(answer.statusCode()).isEqualTo(403);
    assertThat(isPaused()).isFalse();
  }

  /** Browsers write origins in lower case, without the port of the scheme. */
  @ParameterizedTest
  @CsvSource({
    "http://localhost, LOCALHOST:80",
    "https://localhost, localhost:443",
    "https://localhost, localhost",
    "http://localhost:8080, LocalHost:8080"
  })
  void form_fromTheSameSiteInOtherWords_isAccepted(String origin, String host) throws IOException {
    assertThat(post(origin, host)).contains(" 303 ");
  }

  @ParameterizedTest
  @CsvSource({
    "http://localhost, localhost:443",
    "https://localhost, localhost:80",
    "http://localhost:8080, localhost",
    "http://localhost, 127.0.0.1"
  })
  void form_fromAnotherPortOrName_isToldBoth(String origin, String host) throws IOException {
    assertThat(post(origin, host))
        .contains(" 403 ", "Origin %s differs from Host %s;".formatted(origin, host));
    assertThat(isPaused()).isFalse();
  }

  private String post(String origin, String host) throws IOException {
    HttpResponse<String> page = scene.operator().get(TOPICS);
    String cookie = page.headers().firstValue("Set-Cookie").orElseThrow().split(";", 2)[0];
    Matcher token = Pattern.compile("name=\"csrf\" value=\"([\\w-]+)\"").matcher(page.body());
    assertThat(token.find()).isTrue();
    String form = "topic=held&csrf=" + token.group(1);
    return exchange(
        """
        POST /dashboard/topics/pause HTTP/1.1
        Host: %s
        Origin: %s
        Cookie: %s
        Content-Type: application/x-www-form-urlencoded
        Content-Length: %d
        Connection: close

        """
                .formatted(host, origin, cookie, form.length())
                .replace("\n", "\r\n")
            + form);
  }

  private String exchange(String request) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), scene.port())) {
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** Of a page that sends no referrer; no other site can say that it is the same. */
  @Test
  void form_withoutAnOriginFromTheSameSite_isAccepted() {
    Operator operator = scene.operator().with("Origin", "null");
    operator.with("Sec-Fetch-Site", "same-origin").done(TOPICS, PAUSE, "topic", "held");
    assertThat(isPaused()).isTrue();
  }

  @Test
  void form_thatIsTooLargeOrNone_isRefused() {
    Operator operator = scene.operator();
    String form = "csrf=" + operator.token(TOPICS) + "&topic=held&x=" + "y".repeat(70_000);
    String type = "application/x-www-form-urlencoded";
    assertThat(operator.raw(PAUSE, type, form).statusCode()).isEqualTo(413);
    assertThat(operator.raw(PAUSE, "application/json", "{}").statusCode()).isEqualTo(415);
    assertThat(operator.raw(PAUSE, type, "csrf=%zz").statusCode()).isEqualTo(400);
    assertThat(isPaused()).isFalse();
  }

  @Test
  void requests_thatFitNothing_areAnsweredSo() {
    Operator operator = scene.operator();
    assertThat(operator.get("/dashboard/nothing").statusCode()).isEqualTo(404);
    assertThat(operator.get("/dashboard/static/layout.mustache").statusCode()).isEqualTo(404);
    assertThat(operator.get("/dashboard/static/..%2f..%2fx").statusCode()).isEqualTo(404);
    assertThat(operator.get("/dashboard/messages?state=none").statusCode()).isEqualTo(400);
    assertThat(operator.get("/dashboard/messages?topic=%C3%A9").statusCode()).isEqualTo(400);
    assertThat(operator.get("/dashboard/messages?from=1x").statusCode()).isEqualTo(400);
    assertThat(operator.get("/dashboard/messages/0").statusCode()).isEqualTo(400);
    assertThat(operator.get("/dashboard/messages/99999999999999999").statusCode()).isEqualTo(404);
    assertThat(operator.method("PUT", PAUSE).statusCode()).isEqualTo(405);
    HttpResponse<String> head = operator.head("/dashboard");
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }

  /** As a page would be asked for whose name was made to lead here. */
  @Test
  void host_thatIsNotTheOwn_isRefused() throws IOException {
    assertThat(status(scene, "evil.example")).contains(" 403 ");
    assertThat(status(scene, "127.0.0.1.evil.example")).contains(" 403 ");
    assertThat(status(scene, "localhost:" + scene.port())).contains(" 200 ");
    assertThat(status(scene, "[::1]:80")).contains(" 200 ");
  }

  private static String status(Scene scene, String host) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), scene.port())) {
      String request = "GET /dashboard HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.formatted(host).getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      return new String(in.readNBytes(30), StandardCharsets.US_ASCII);
    }
  }

  @Test
  void dashboard_offTheLoopback_needsCredentials() {
    AdminConfig everywhere = AdminConfig.onPort(0).withHost("0.0.0.0");
    assertThatThrownBy(() -> Scene.open(database, everywhere, DashboardConfig.open()))
        .hasStackTraceContaining("give --dashboard-token-file");
    DashboardConfig config = DashboardConfig.open().withCredentials(() -> Credentials.token(TOKEN));
    try (Scene scene = Scene.open(database, everywhere, config);
        CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
      HttpResponse<String> unknown = scene.operator().get("/dashboard");
      assertThat(unknown.statusCode()).isEqualTo(401);
      assertThat(unknown.headers().firstValue("WWW-Authenticate").orElseThrow()).contains("Basic");
      assertThat(scene.operator().get("/dashboard/static/dashboard.js").statusCode())
          .isEqualTo(401);
      assertThat(scene.operator().post(PAUSE, null, "topic", "held").statusCode()).isEqualTo(401);
      assertThat(known(scene, "ada", "wrong-token-of-length").get("/dashboard").statusCode())
          .isEqualTo(401);
      assertThat(scene.operator().get("/health/live").statusCode()).isEqualTo(200);
      assertThat(scene.operator().get("/metrics").statusCode()).isEqualTo(200);
      assertThat(
              scene
                  .operator()
                  .with("Authorization", "Bearer " + TOKEN)
                  .get("/dashboard")
                  .statusCode())
          .isEqualTo(200);
      known(scene, "ada", TOKEN).done(TOPICS, PAUSE, "topic", "held");
      assertThat(audit.messages())
          .anyMatch(line -> line.startsWith("who=\"ada (by token)\" from=127"));
      assertThat(audit.messages()).noneMatch(line -> line.contains(TOKEN));
    }
  }

  @Test
  void users_withPasswords_areTold() {
    DashboardConfig config =
        DashboardConfig.open()
            .withCredentials(
                () -> Credentials.users("# team\nada:first-of-passwords\nbob:second:one-here"));
    try (Scene scene = Scene.open(database, AdminConfig.onPort(0), config);
        CapturedLog audit = CapturedLog.of("io.rowqueue.audit")) {
      assertThat(known(scene, "ada", "second:one-here").get(TOPICS).statusCode()).isEqualTo(401);
      assertThat(known(scene, "eve", "first-of-passwords").get(TOPICS).statusCode()).isEqualTo(401);
      known(scene, "bob", "second:one-here").done(TOPICS, PAUSE, "topic", "held");
      assertThat(audit.messages()).anyMatch(line -> line.startsWith("who=\"bob\" "));
    }
  }

  private static Operator known(Scene scene, String user, String secret) {
    String both = user + ":" + secret;
    return scene
        .operator()
        .with(
            "Authorization",
            "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void users_whoMayOnlyRead_areRefusedEveryChange() {
    scene.close();
    Credentials users =
        Credentials.users("ada:" + TOKEN + "\nbob:" + TOKEN + ":read\neve:" + TOKEN + ":operate");
    scene = Scene.open(database, DashboardConfig.open().withCredentials(() -> users));
    scene.enqueue("other", 1);
    Operator bob = scene.operator().with("Authorization", basic("bob"));
    assertThat(bob.submit(TOPICS, "/dashboard/theme", "theme", "dark").statusCode()).isEqualTo(303);
    assertThat(bob.page(TOPICS)).contains("<body class=\"read-only no-pause no-run ");
    for (String path :
        List.of(
            PAUSE,
            "/dashboard/topics/resume",
            "/dashboard/topics/purge",
            "/dashboard/messages/cancel",
            "/dashboard/dead-letters/change",
            "/dashboard/dead-letters/delete",
            "/dashboard/dead-letters/all",
            "/dashboard/activity/stop",
            "/dashboard/any/other")) {
      HttpResponse<String> answer = bob.submit(TOPICS, path, "topic", "other", "id", "1");
      assertThat(answer.statusCode()).as(path).isEqualTo(403);
      assertThat(answer.body()).contains("Your login may only read.");
    }
    assertThat(isPaused()).isFalse();
    Operator eve = scene.operator().with("Authorization", basic("eve"));
    assertThat(eve.page(TOPICS)).contains("<body>");
    eve.done(TOPICS, PAUSE, "topic", "other");
    assertThat(isPaused()).isTrue();
    assertThat(
            database.strings(
                "SELECT CONCAT_WS('|', actor, origin, action, target, result) FROM queue_audit"
                    + " WHERE action LIKE '%pause'"))
        .containsExactly(
            "bob|127.0.0.1|POST /topics/pause|1,other|failed: Your login may only read. Nothing was"
                + " changed.",
            "eve|127.0.0.1|topic.pause|other|done");
    assertThat(bob.page("/dashboard/activity")).contains(">pause topic<", "eve from 127.0.0.1");
  }

  /** Every form of every template is refused to a user without its permission. */
  @Test
  void users_withSomePermissions_areRefusedAllOtherChanges() throws IOException {
    scene.close();
    Credentials users =
        Credentials.users("bob:" + TOKEN + ":drain\neve:" + TOKEN + ":pause+redrive");
    scene = Scene.open(database, DashboardConfig.open().withCredentials(() -> users));
    scene.enqueue("other", 1);
    Operator bob = scene.operator().with("Authorization", basic("bob"));
    assertThat(bob.page(TOPICS)).contains("<body class=\"no-pause no-run no-redrive ");
    Set<String> forms = formsOfTemplates();
    assertThat(forms).hasSizeGreaterThan(10).contains("/topics/pause");
    forms.removeAll(Set.of("/workers/drain", "/activity/stop", "/theme"));
    for (String path : forms) {
      for (String what : List.of("redrive", "delete", "run", "pause")) {
        HttpResponse<String> answer =
            bob.submit(TOPICS, "/dashboard" + path, "topic", "other", "id", "1", "do", what);
        assertThat(answer.statusCode()).as(path).isEqualTo(403);
        assertThat(answer.body()).as(path).contains("Your login may only drain; this needs ");
      }
    }
    assertThat(bob.submit(TOPICS, "/dashboard/workers/drain", "worker", "none").statusCode())
        .isNotEqualTo(403);
    Operator eve = scene.operator().with("Authorization", basic("eve"));
    eve.done(TOPICS, PAUSE, "topic", "other");
    assertThat(isPaused()).isTrue();
    HttpResponse<String> deletes =
        eve.submit(TOPICS, "/dashboard/dead-letters/change", "id", "1", "do", "delete");
    assertThat(deletes.body()).contains("Your login may only pause, redrive; this needs delete.");
  }

  private static Set<String> formsOfTemplates() throws IOException {
    Pattern form = Pattern.compile("method=\"post\" action=\"\\{\\{base}}(/[^\"]+)\"");
    Path folder =
        Checkout.home()
            .resolve("queue-worker/src/main/resources/io/rowqueue/worker/internal/dashboard");
    Set<String> paths = new TreeSet<>();
    try (Stream<Path> templates = Files.list(folder)) {
      for (Path template :
          templates.filter(file -> file.toString().endsWith(".mustache")).toList()) {
        form.matcher(Files.readString(template)).results().forEach(one -> paths.add(one.group(1)));
      }
    }
    return paths;
  }

  @Test
  void theme_isKeptInACookie_andLeadsNowhereElse() {
    Operator operator = scene.operator();
    assertThat(operator.page(TOPICS)).contains("<html lang=\"en\" data-theme=\"auto\">");
    for (String back :
        List.of("", "/topics?x=%C3%A9&y=1", "//evil.example", "/a\r\nB: c", "@evil")) {
      HttpResponse<String> answer =
          operator.submit(TOPICS, "/dashboard/theme", "theme", "dark", "back", back);
      assertThat(answer.statusCode()).isEqualTo(303);
      assertThat(answer.headers().firstValue("Location"))
          .as(back)
          .contains("/dashboard" + (back.startsWith("/topics") ? back : ""));
      assertThat(answer.headers().allValues("Set-Cookie"))
          .containsExactly(
              "rowqueue-theme=dark; Path=/dashboard; Max-Age=31536000; HttpOnly; SameSite=Lax");
    }
    for (String path : List.of(TOPICS, "/dashboard/nothing")) {
      assertThat(operator.get(path).body())
          .contains("<html lang=\"en\" data-theme=\"dark\">", "content=\"dark\"");
    }
    operator.submit(TOPICS, "/dashboard/theme", "theme", "<pink>");
    assertThat(operator.page(TOPICS)).contains("data-theme=\"auto\"");
    assertThat(operator.post("/dashboard/theme", null, "theme", "dark").statusCode())
        .isEqualTo(403);
  }

  private static String basic(String user) {
    return "Basic "
        + Base64.getEncoder().encodeToString((user + ":" + TOKEN).getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void proxy_namesTheUser_onlyFromItsAddress() {
    scene.close();
    scene =
        Scene.open(
            database,
            behind(Set.of("127.0.0.1"), Map.of("ada", Permission.all())).withBasePath("/rowqueue"));
    scene.enqueue("other", 1);
    assertThat(scene.operator().get(TOPICS).statusCode()).isEqualTo(403);
    Operator two = scene.operator().with("X-User", "ada").with("X-User", "bob");
    assertThat(two.get(TOPICS).statusCode()).isEqualTo(403);
    Operator bob = scene.operator().with("X-User", "bob");
    assertThat(bob.submit(TOPICS, PAUSE, "topic", "other").statusCode()).isEqualTo(403);
    assertThat(isPaused()).isFalse();

    Operator ada = scene.operator().with("X-User", "ada");
    HttpResponse<String> page = ada.get(TOPICS);
    assertThat(page.body())
        .contains("href=\"/rowqueue/dashboard/static/dashboard.css\"", "ada")
        .doesNotContain("=\"/dashboard");
    assertThat(page.headers().firstValue("Set-Cookie").orElseThrow())
        .contains("Path=/rowqueue/dashboard;");
    HttpResponse<String> paused = ada.submit(TOPICS, PAUSE, "topic", "other");
    assertThat(paused.headers().firstValue("Location")).contains("/rowqueue/dashboard/topics");
    assertThat(isPaused()).isTrue();
  }

  @Test
  void header_fromAnotherAddressThanTheProxys_isIgnored() {
    scene.close();
    scene = Scene.open(database, behind(Set.of("10.0.0.1", "::1"), null));
    Operator forged = scene.operator().with("X-User", "ada");
    assertThat(forged.get(TOPICS).statusCode()).isEqualTo(403);
  }

  private static DashboardConfig behind(
      Set<String> addresses, @Nullable Map<String, Set<Permission>> operators) {
    return DashboardConfig.open()
        .withProxy(new DashboardConfig.AuthProxy("X-User", addresses, operators));
  }

  @Test
  void changes_thatCannotBeRecorded_areMade() {
    scene.enqueue("other", 1);
    database.execute("RENAME TABLE queue_audit TO queue_audit_elsewhere");
    try {
      scene.operator().done(TOPICS, PAUSE, "topic", "other");
      assertThat(isPaused()).isTrue();
    } finally {
      database.execute("RENAME TABLE queue_audit_elsewhere TO queue_audit");
    }
  }

  @Test
  void sessions_end_andTheUserLogsInAgain() {
    scene.close();
    Credentials users = Credentials.users("ada:" + TOKEN);
    DashboardConfig config = DashboardConfig.open().withCredentials(() -> users);
    Duration short1 = Duration.ofMillis(1);
    Duration long1 = Duration.ofHours(1);
    for (DashboardConfig.SessionEnd end :
        List.of(
            new DashboardConfig.SessionEnd(short1, long1),
            new DashboardConfig.SessionEnd(long1, short1))) {
      scene = Scene.open(database, config.withSessions(end));
      Operator ada = scene.operator().with("Authorization", basic("ada"));
      ada.page(TOPICS);
      ada.page(TOPICS);
      await(() -> ada.get(TOPICS).statusCode() == 401);
      assertThat(ada.get(TOPICS).statusCode()).isEqualTo(200);
      scene.close();
    }
    scene = Scene.open(database, config.withSessions(new DashboardConfig.SessionEnd(long1, long1)));
    scene.enqueue("other", 1);
    Operator ada = scene.operator().with("Authorization", basic("ada"));
    ada.done(TOPICS, PAUSE, "topic", "other");
    assertThat(isPaused()).isTrue();
  }

  private static void await(BooleanSupplier condition) {
    Await.that("the session has ended", Duration.ofSeconds(10), condition);
  }
}
