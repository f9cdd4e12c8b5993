package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.admin.Admin;
import io.rowqueue.worker.admin.AdminConfig;
import io.rowqueue.worker.admin.AdminModule;
import io.rowqueue.worker.grant.Role;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;

/** The admin port reads with the worker's account, which needs nothing more for it. */
@QueueTest
class AdminAccountIT {

  private final QueueDatabase database;

  AdminAccountIT(QueueDatabase database) {
    this.database = database;
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
      URI uri = URI.create("http://127.0.0.1:" + worker.get(Admin.class).port() + "/metrics");
      String shown =
          HttpClient.newHttpClient()
              .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
              .body();
      assertThat(shown.lines())
          .contains(
              "rowqueue_database_up 1.0",
              "rowqueue_dead_letters 0.0",
              "rowqueue_topic_dead_letters{topic=\"order\"} 0.0",
              "rowqueue_depth{topic=\"order\"} 0.0");
    }
  }
}
