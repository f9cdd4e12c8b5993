package io.rowqueue.worker.internal.admin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.internal.WorkerStartException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * HTTP pages, served by the JDK's server. Neither slow clients nor pages that wait for an
 * unresponsive database block the liveness check. An idle client is disconnected after ten seconds,
 * or earlier for another client. Thread-safe.
 */
final class AdminServer implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(AdminServer.class);

  /** Fewer than the threads. */
  private static final int MOST_ASKING = 16;

  /** Produces a page's content. */
  record Answer(int status, String type, String text) {}

  private final Map<String, Supplier<Answer>> pages = new ConcurrentHashMap<>();
  private final Set<String> askingPages = ConcurrentHashMap.newKeySet();
  private final Semaphore asking = new Semaphore(MOST_ASKING);
  private final ClientThreads threads = new ClientThreads();
  private final HttpServer server;

  /**
   * Opens the port.
   *
   * @throws WorkerStartException if it cannot be opened
   */
  AdminServer(AdminConfig config) {
    // The server reads these properties when its first class is loaded; there is no API for them.
    setUnlessSet("sun.net.httpserver.maxReqTime", "10");
    // Longer than a search that a user has extended, and than a payload takes over a slow line.
    setUnlessSet("sun.net.httpserver.maxRspTime", "60");
    // Otherwise a body waits for the acknowledgement of its headers, which takes 40 ms.
    setUnlessSet("sun.net.httpserver.nodelay", "true");
    InetSocketAddress address = new InetSocketAddress(config.host(), config.port());
    try {
      server = HttpServer.create(address, ClientThreads.MOST);
    } catch (IOException e) {
      throw new WorkerStartException(
          "the admin port %s:%d cannot be opened: %s; choose another --admin-port or --admin-host"
              .formatted(config.host(), config.port(), e.getMessage()),
          e);
    }
    server.setExecutor(threads);
    server.createContext("/", this::answer);
  }

  private static void setUnlessSet(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  /** Serves {@code content} under {@code path}. */
  void page(String path, Supplier<Answer> content) {
    pages.put(path, content);
  }

  /** Serves content that queries the database. */
  void askingPage(String path, Supplier<Answer> content) {
    askingPages.add(path);
    page(path, content);
  }

  /** Delegates requests below its path to {@code page}. */
  void addPage(AdminPage page) {
    server.createContext(page.path(), page);
    LOG.info("the dashboard is on {}{}", url(server.getAddress()), page.path());
  }

  void start() {
    server.start();
    InetSocketAddress at = server.getAddress();
    boolean everywhere = at.getAddress().isAnyLocalAddress();
    LOG.info("health and metrics on {}{}", url(at), everywhere ? ", on all addresses" : "");
  }

  /** A URL that works on this host. */
  static String url(InetSocketAddress at) {
    String host = at.getAddress().isAnyLocalAddress() ? "localhost" : at.getHostString();
    return "http://%s:%d".formatted(host.contains(":") ? "[" + host + "]" : host, at.getPort());
  }

  int port() {
    return server.getAddress().getPort();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      Answer answer = answerTo(exchange);
      byte[] body = answer.text.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", answer.type);
      exchange.getResponseHeaders().set("Cache-Control", "no-store");
      exchange.getResponseHeaders().set("X-Content-Type-Options", "nosniff");
      boolean head = exchange.getRequestMethod().equals("HEAD");
      exchange.sendResponseHeaders(answer.status, head ? -1 : body.length);
      if (!head) {
        exchange.getResponseBody().write(body);
      }
    }
  }

  private Answer answerTo(HttpExchange exchange) {
    String method = exchange.getRequestMethod();
    if (!method.equals("GET") && !method.equals("HEAD")) {
      return new Answer(405, "text/plain", "only GET is supported\n");
    }
    String path = exchange.getRequestURI().getPath();
    Supplier<Answer> page = pages.get(path);
    if (page == null) {
      return new Answer(404, "text/plain", String.join("\n", pages.keySet()) + "\n");
    }
    try {
      return threads.undisturbed(askingPages.contains(path) ? () -> asked(page) : page);
    } catch (RuntimeException e) {
      LOG.warn("{} failed: {}", path, FailureText.of(e));
      return new Answer(500, "text/plain", "internal error; see the worker's log\n");
    }
  }

  private Answer asked(Supplier<Answer> page) {
    if (!asking.tryAcquire()) {
      return new Answer(503, "text/plain", "a reading of the database is already running\n");
    }
    try {
      return page.get();
    } finally {
      asking.release();
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
