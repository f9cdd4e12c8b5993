package io.rowqueue.spring.example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.DynamicPropertyRegistrar;
import org.springframework.transaction.support.TransactionTemplate;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
class SpringShopIT {

  private static final String ORDERS = "SELECT CONCAT(customer, item) FROM customer_order";
  private static final String INVOICES = "SELECT CONCAT(text, mailed_by_attempt) FROM invoice";

  @Autowired private QueueDatabase database;
  @Autowired private OrderService service;
  @Autowired private TransactionTemplate transactions;

  @Value("${local.server.port}")
  private int port;

  @TestConfiguration
  static class Server {

    @Bean
    QueueDatabase database() {
      return QueueDatabase.createEmpty();
    }

    @Bean
    DynamicPropertyRegistrar url(QueueDatabase database) {
      return registry ->
          registry.add("spring.datasource.url", () -> TestShopApplication.url(database));
    }
  }

  @BeforeEach
  void clean() {
    database.execute("DELETE FROM customer_order", "DELETE FROM invoice");
  }

  @Test
  void form_writesOrderAndInvoiceOnce_andMailsAfterTwoFailures() throws Exception {
    HttpRequest.Builder form =
        HttpRequest.newBuilder()
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString("customer=Ada&item=tea"));
    assertThat(send("/", form).statusCode()).isEqualTo(302);
    Await.that("no message is left", Duration.ofSeconds(20), () -> messages() == 0);
    assertThat(database.strings(ORDERS)).containsExactly("Adatea");
    assertThat(database.strings(INVOICES)).containsExactly("Ada pays for tea3");
    assertThat(database.count("SELECT COUNT(*) FROM queue_dead_letter")).isZero();
    assertThat(send("/", HttpRequest.newBuilder()).body()).contains("Ada pays for tea");
  }

  @Test
  void dashboard_isForTheOperator() throws Exception {
    assertThat(send("/rowqueue/topics", HttpRequest.newBuilder()).statusCode()).isEqualTo(401);
    HttpResponse<String> page = send("/rowqueue/topics", asOperator());
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("order.placed").doesNotContain("read-only");
  }

  private static HttpRequest.Builder asOperator() {
    String login = Base64.getEncoder().encodeToString("operator:secret".getBytes(UTF_8));
    return HttpRequest.newBuilder().header("Authorization", "Basic " + login);
  }

  private HttpResponse<String> send(String path, HttpRequest.Builder request) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            request.uri(URI.create("http://localhost:" + port + path)).build(),
            BodyHandlers.ofString());
  }

  @Test
  void rollback_leavesNoOrder_andEnqueuesNothing() {
    transactions.executeWithoutResult(
        status -> {
          service.place("Ada", "tea");
          status.setRollbackOnly();
        });
    assertThat(database.strings(ORDERS)).isEmpty();
    assertThat(messages()).isZero();
    assertThat(database.strings("SELECT text FROM invoice")).isEmpty();
  }

  private long messages() {
    return database.count("SELECT COUNT(*) FROM queue_message");
  }
}
