package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.admin.Admin;
import io.rowqueue.worker.admin.AdminConfig;
import io.rowqueue.worker.admin.AdminModule;
import io.rowqueue.worker.dashboard.DashboardConfig;
import io.rowqueue.worker.dashboard.DashboardModule;
import io.rowqueue.worker.grant.Role;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

/** The dashboard wants what operators have, which a worker's account lacks. */
@QueueTest
class DashboardAccountIT {

  private final QueueDatabase database;

  DashboardAccountIT(QueueDatabase database) {
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
}
