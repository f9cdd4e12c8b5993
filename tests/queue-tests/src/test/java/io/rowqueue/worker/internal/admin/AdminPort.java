package io.rowqueue.worker.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.AdminModule;
import io.rowqueue.worker.WorkerConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.function.UnaryOperator;

/** Workers with an admin port, and what they show on it. */
final class AdminPort {

  static final Module IDLE = Handlers.bind("order", (order, context) -> {});

  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private AdminPort() {}

  /** One that runs, and refuses orders with numbers below zero. */
  static TestWorker worker(QueueDatabase database) {
    TestWorker created = created(database);
    created.worker().start();
    return created;
  }

  static TestWorker created(QueueDatabase database) {
    return TestWorker.create(
        database,
        config -> config,
        Handlers.bind(
            "order",
            (order, context) -> {
              if (order.number() < 0) {
                throw new IllegalStateException("refused");
              }
            },
            HandlerSettings.defaults().withMaxAttempts(1)),
        module());
  }

  static TestWorker start(
      QueueDatabase database, UnaryOperator<WorkerConfig> settings, Module handlers) {
    return TestWorker.start(database, settings, handlers, module());
  }

  static Module module() {
    return new AdminModule(AdminConfig.onPort(0));
  }

  static HttpResponse<String> get(TestWorker worker, String path) {
    return send(worker, path, "GET");
  }

  static HttpResponse<String> send(TestWorker worker, String path, String method) {
    try {
      URI uri = URI.create("http://127.0.0.1:" + worker.get(Admin.class).port() + path);
      return CLIENT.send(
          HttpRequest.newBuilder(uri).method(method, BodyPublishers.noBody()).build(),
          BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError(path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(path, e);
    }
  }

  static String metrics(TestWorker worker) {
    HttpResponse<String> response = get(worker, "/metrics");
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }

  /** The number behind {@code series}; -1 if it is not shown. */
  static double value(String metrics, String series) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElse(-1);
  }
}
