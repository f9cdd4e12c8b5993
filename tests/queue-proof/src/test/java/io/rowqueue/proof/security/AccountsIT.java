package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.AdminModule;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DashboardModule;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.internal.admin.Admin;
import io.rowqueue.worker.internal.doctor.Doctor;
import io.rowqueue.worker.internal.doctor.DoctorSettings;
import io.rowqueue.worker.internal.doctor.Finding;
import io.rowqueue.worker.internal.doctor.Severity;
import io.rowqueue.worker.internal.grant.Grant;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@QueueTest
class AccountsIT {

  private final QueueDatabase database;

  AccountsIT(QueueDatabase database) {
    this.database = database;
  }

  private static HttpResponse<String> page(TestWorker worker, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + worker.get(Admin.class).port() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }

  private static TestWorker worker(Accounts account, DashboardConfig dashboard) {
    return TestWorker.startAt(
        account.url(),
        config -> config,
        LambdaHandlers.bind("order", Integer.class, (number, context) -> {}),
        new AdminModule(AdminConfig.onPort(0)),
        new DashboardModule(dashboard));
  }

  @Test
  void pages_withTheWorkersScriptAlone_sayWhatIsMissing() throws IOException, InterruptedException {
    try (Accounts account = Accounts.with(database, Role.WORKER);
        TestWorker worker = worker(account, DashboardConfig.open())) {
      HttpResponse<String> page = page(worker, "/dashboard/dead-letters");
      assertThat(page.statusCode()).isEqualTo(403);
      assertThat(page.body()).contains("grants operator").contains("--dashboard-db-user");
      assertThat(page(worker, "/health/ready").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void pages_withTheOperatorsScript_areAllShown() throws IOException, InterruptedException {
    database.execute(
        "INSERT INTO queue_message (topic, payload) VALUES ('other', '{}')",
        "INSERT INTO queue_message (topic, payload, headers)"
            + " VALUES ('other', '', '{\"rowqueue-body\":\"rows\"}')");
    try (Accounts account = Accounts.with(database, Role.WORKER);
        Accounts operators = Accounts.with(database, Role.OPERATOR);
        TestWorker worker =
            worker(
                account,
                DashboardConfig.open().withDatabase(new DatabaseConfig(operators.url(), "", "")))) {
      for (String path :
          new String[] {
            "",
            "/topics",
            "/messages",
            "/messages/1",
            "/dead-letters",
            "/dead-letters/all",
            "/workers",
            "/activity"
          }) {
        HttpResponse<String> page = page(worker, "/dashboard" + path);
        assertThat(page.statusCode()).as("%s: %s", path, page.body()).isEqualTo(200);
      }
    }
  }

  @Test
  void metrics_withExactlyTheWorkersScript_haveDepthsAndDeadLetters()
      throws IOException, InterruptedException {
    try (Accounts account = Accounts.with(database, Role.WORKER);
        TestWorker worker =
            TestWorker.startAt(
                account.url(),
                config -> config,
                LambdaHandlers.bind("order", Integer.class, (number, context) -> {}),
                new AdminModule(AdminConfig.onPort(0)))) {
      assertThat(page(worker, "/metrics").body().lines())
          .contains(
              "rowqueue_database_up 1.0",
              "rowqueue_dead_letters 0.0",
              "rowqueue_topic_dead_letters{topic=\"order\"} 0.0",
              "rowqueue_depth{topic=\"order\"} 0.0");
    }
  }

  private static List<Finding> examine(Accounts account, Role role) {
    try {
      return Doctor.of(account.dataSource(), DoctorSettings.defaults().withRole(role)).examine();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Nobody is alive here, which is all that it finds. */
  @ParameterizedTest
  @EnumSource(names = {"WORKER", "OPERATOR"})
  void examine_withExactlyItsScript_seesAllButOthersTransactions(Role role) {
    try (Accounts account = Accounts.with(database, role)) {
      List<Finding> findings = examine(account, role);
      assertThat(findings)
          .filteredOn(finding -> finding.severity().compareTo(Severity.WARNING) >= 0)
          .extracting(Finding::subject)
          .containsExactly("workers");
      assertThat(findings)
          .filteredOn(finding -> finding.found().contains("the check failed: "))
          .isEmpty();
    }
  }

  @Test
  void examine_withoutAPrivilege_namesIt() {
    try (Accounts account = Accounts.with(database, Role.WORKER)) {
      account.without(
          new Grant("INSERT", List.of(), "queue_dead_letter"),
          () ->
              assertThat(examine(account, Role.WORKER))
                  .filteredOn(finding -> finding.subject().equals("privileges"))
                  .singleElement()
                  .satisfies(
                      finding -> {
                        assertThat(finding.severity()).isEqualTo(Severity.PROBLEM);
                        assertThat(finding.found()).endsWith("INSERT on queue_dead_letter");
                        assertThat(finding.advice()).contains("queue-worker grants worker");
                      }));
    }
  }

  /** As behind a proxy that gives connections other ids, the sleep of the one is not seen. */
  @Test
  void examine_whereConnectionsDoNotSeeEachOther_findsThatNotificationsAreLost()
      throws SQLException {
    try (Accounts account = Accounts.with(database, Role.WORKER)) {
      AtomicInteger opened = new AtomicInteger();
      DataSource mixed =
          new FreshConnections(
              () ->
                  opened.getAndIncrement() % 2 == 0
                      ? database.connect()
                      : account.dataSource().getConnection());
      Set<String> said = new HashSet<>();
      for (int first = 0; first < 2; first++) {
        opened.set(first);
        Doctor.of(mixed, DoctorSettings.defaults()).examine().stream()
            .filter(finding -> finding.subject().equals("connection"))
            .forEach(finding -> said.add(finding.found()));
      }
      assertThat(said).anyMatch(found -> found.startsWith("KILL QUERY does not arrive"));
    }
  }
}
