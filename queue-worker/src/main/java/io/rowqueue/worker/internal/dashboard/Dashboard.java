package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import com.sun.net.httpserver.HttpExchange;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.QueueException;
import io.rowqueue.internal.database.MissingPrivilege;
import io.rowqueue.internal.database.StatementTimeout;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.WorkerService;
import io.rowqueue.worker.internal.WorkerThreads;
import io.rowqueue.worker.internal.admin.AdminPage;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The dashboard during a worker's life. Uses four threads of its own, so that a slow database does
 * not block the worker's health checks. Thread-safe.
 */
@Singleton
public final class Dashboard implements AdminPage, WorkerService {

  private static final Logger LOG = LoggerFactory.getLogger(Dashboard.class);

  private static final int THREADS = 4;
  private static final int WAITING = 32;

  /** Samples continuously, so that charts have data when a page is opened. */
  private static final Duration POLL_EVERY = Duration.ofSeconds(15);

  private static final Map<String, String> ALWAYS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
              + " connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "X-Frame-Options",
          "DENY",
          "Referrer-Policy",
          "same-origin",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Cross-Origin-Resource-Policy",
          "same-origin",
          "Cache-Control",
          "no-store");

  private final Gate gate;
  private final Pages pages;
  private final Views views;
  private final Board board;
  private final Sweeps sweeps;
  private final DashboardPool pool;
  private final ShownQueue queue;
  private final String path;
  private final WorkerThreads workerThreads;
  private final ThreadPoolExecutor threads;
  private volatile boolean troubled;

  @Inject
  Dashboard(
      Gate gate,
      Pages pages,
      Views views,
      Board board,
      Sweeps sweeps,
      DashboardPool pool,
      ShownQueue queue,
      DashboardConfig config,
      WorkerThreads workerThreads) {
    this.queue = queue;
    this.path = config.path();
    this.gate = gate;
    this.pages = pages;
    this.views = views;
    this.board = board;
    this.sweeps = sweeps;
    this.pool = pool;
    this.workerThreads = workerThreads;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            1,
            TimeUnit.MINUTES,
            new ArrayBlockingQueue<>(WAITING),
            work -> {
              Thread thread = new Thread(work, "queue-dashboard-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  @Override
  public String path() {
    return path;
  }

  /** A further queue is queried only while one of its pages is open. */
  @Override
  public void running() {
    if (queue.isOwn()) {
      workerThreads.loop("dashboard", POLL_EVERY, this::poll);
    }
  }

  /** The page shows the failure to its user, so the log does not repeat it. */
  private void poll() {
    try {
      board.read();
      troubled = false;
    } catch (QueueException e) {
      if (!troubled) {
        LOG.warn("the dashboard is unavailable: {}", described(e));
      }
      troubled = true;
    }
  }

  @Override
  public void draining() {
    sweeps.stopAll();
  }

  @Override
  public void end() {
    sweeps.end();
    threads.shutdownNow();
    pool.close();
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    try {
      threads.execute(() -> handleHere(exchange));
    } catch (RejectedExecutionException e) {
      try (exchange) {
        send(
            exchange,
            headed(Reply.text(503, "too many concurrent requests\n").with("Retry-After", "2")));
      }
    }
  }

  private void handleHere(HttpExchange exchange) {
    try (exchange) {
      send(exchange, answer(Request.of(exchange)));
    } catch (IOException e) {
      LOG.debug(
          "the client closed the connection during {}: {}", exchange.getRequestURI(), e.toString());
    }
  }

  /**
   * Returns the answer, on the calling thread.
   *
   * @throws IOException if the request cannot be read
   */
  public Reply answer(Request request) throws IOException {
    return headed(page(request));
  }

  private static Reply headed(Reply reply) {
    Map<String, String> headers = new HashMap<>(ALWAYS);
    headers.putAll(reply.headers());
    headers.put("Content-Type", reply.type());
    return new Reply(reply.status(), reply.type(), reply.body(), headers);
  }

  private Reply page(Request request) throws IOException {
    boolean admitted = false;
    Theme theme = Theme.of(request.header("Cookie"));
    try {
      Call call = gate.enter(request);
      admitted = true;
      boolean change = request.method().equals("POST");
      return change ? changed(call) : pages.show(call);
    } catch (Refusal e) {
      Reply refused = views.trouble(admitted, theme, e.status(), String.valueOf(e.getMessage()));
      return e.status() == 401
          ? refused.with("WWW-Authenticate", "Basic realm=\"RowQueue\", charset=\"UTF-8\"")
          : refused;
    } catch (RefusedException | InvalidMessageException e) {
      return views.trouble(admitted, theme, 409, String.valueOf(e.getMessage()));
    } catch (QueueException e) {
      return views.trouble(admitted, theme, MissingPrivilege.isIn(e) ? 403 : 503, described(e));
    } catch (RuntimeException e) {
      LOG.warn("{} failed", request.uri().getPath(), e);
      return views.trouble(admitted, theme, 500, "Internal error. See the worker's log.");
    }
  }

  /** Failures are audited too: the change may have happened nevertheless. */
  private Reply changed(Call call) {
    if (call.path().equals("/theme")) {
      return pages.change(call); // a cookie of the browser
    }
    try {
      if (call.who().permissions().isEmpty()) {
        throw new Refusal(403, "Your login may only read. Nothing was changed.");
      }
      return pages.change(call);
    } catch (RuntimeException e) {
      Audit.write(
          call.who(), "POST " + call.path(), meant(call.form()), "failed: " + e.getMessage());
      throw e;
    } finally {
      board.forget();
    }
  }

  /** Returns the form's targets: after a failure they may or may not have been changed. */
  private static String meant(Params form) {
    return Stream.concat(
            form.all("id").stream(), Stream.of(form.text("topic"), form.text("number")))
        .filter(each -> !each.isEmpty())
        .collect(Collectors.joining(","));
  }

  private String described(QueueException failure) {
    if (MissingPrivilege.isIn(failure)) {
      return "The database account %s lacks a privilege for this. Let an administrator run the output of `queue-worker grants operator` for it, or give the dashboard its own account (%s). The server reports: %s"
          .formatted(
              pool.account(),
              queue.isOwn() ? "--dashboard-db-user" : "--dashboard-queue",
              failure.getMessage());
    }
    if (StatementTimeout.isIn(failure)) {
      return "The query took longer than %s and was cancelled to protect the database. Choose a topic, or try again."
          .formatted(Humanize.duration(pool.statementTimeout()));
    }
    return String.valueOf(failure.getMessage());
  }

  private static void send(HttpExchange exchange, Reply reply) throws IOException {
    reply.headers().forEach(exchange.getResponseHeaders()::set);
    boolean head = exchange.getRequestMethod().equals("HEAD");
    boolean empty = head || reply.body().length == 0;
    exchange.sendResponseHeaders(reply.status(), empty ? -1 : reply.body().length);
    if (!empty) {
      exchange.getResponseBody().write(reply.body());
    }
  }
}
