package io.rowqueue.worker.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.internal.admin.AdminServer.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdminServerTest {

  private final HttpClient client = HttpClient.newHttpClient();

  private static HttpRequest request(AdminServer server, String path) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:%d%s".formatted(server.port(), path)))
        .timeout(Duration.ofSeconds(20))
        .build();
  }

  private static Answer text(String text) {
    return new Answer(200, "text/plain", text);
  }

  @Test
  void url_ofEachAddress_worksOnThisHost() {
    assertThat(
            Stream.of("0.0.0.0", "::", "127.0.0.1", "::1")
                .map(host -> AdminServer.url(new InetSocketAddress(host, 9180))))
        .containsExactly(
            "http://localhost:9180",
            "http://localhost:9180",
            "http://127.0.0.1:9180",
            "http://[0:0:0:0:0:0:0:1]:9180");
  }

  /** As a database that has gone silent keeps them waiting. */
  @Test
  void pagesThatWait_keepNobodyFromHearingThatTheWorkerLives() throws Exception {
    CountDownLatch silent = new CountDownLatch(1);
    try (AdminServer server = new AdminServer(AdminConfig.onPort(0))) {
      server.page("/live", () -> text("ok"));
      server.askingPage(
          "/ready",
          () -> {
            try {
              return text(silent.await(20, TimeUnit.SECONDS) ? "ready" : "late");
            } catch (InterruptedException e) {
              return text("interrupted");
            }
          });
      server.start();
      List<CompletableFuture<HttpResponse<String>>> waiting = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        waiting.add(client.sendAsync(request(server, "/ready"), BodyHandlers.ofString()));
      }
      assertThat(get(server, "/live")).isEqualTo("ok");
      assertThat(waiting).noneMatch(CompletableFuture::isDone);
      silent.countDown();
      for (CompletableFuture<HttpResponse<String>> each : waiting) {
        assertThat(each.get(20, TimeUnit.SECONDS).body()).isEqualTo("ready");
      }
    }
  }

  /** They keep a thread each: in a request's head, in its body, and in the answer. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /liv",
        "POST /live HTTP/1.1\r\nContent-Length: 9\r\n\r\n",
        "GET /large HTTP/1.1\r\n\r\n"
      })
  void clientsThatStall_keepNobodyFromHearingThatTheWorkerLives(String sent) throws Exception {
    List<Socket> stalled = new ArrayList<>();
    InetAddress loopback = InetAddress.getLoopbackAddress();
    String large = "x".repeat(1 << 22);
    try (AdminServer server = new AdminServer(AdminConfig.onPort(0))) {
      server.page("/live", () -> text("ok"));
      server.askingPage("/ready", () -> text("ready"));
      server.askingPage("/large", () -> text(large));
      server.start();
      for (int i = 0; i < ClientThreads.MOST + 20; i++) {
        Socket socket = new Socket();
        stalled.add(socket);
        socket.setReceiveBufferSize(1 << 12);
        socket.connect(new InetSocketAddress(loopback, server.port()));
        socket.getOutputStream().write(sent.getBytes(StandardCharsets.US_ASCII));
      }
      assertThat(get(server, "/live")).isEqualTo("ok");
      assertThat(get(server, "/ready")).isEqualTo("ready");
    } finally {
      for (Socket socket : stalled) {
        socket.close();
      }
    }
  }

  private String get(AdminServer server, String path) throws IOException, InterruptedException {
    return client.send(request(server, path), BodyHandlers.ofString()).body();
  }
}
