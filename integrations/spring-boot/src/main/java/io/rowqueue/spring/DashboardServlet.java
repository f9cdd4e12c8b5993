package io.rowqueue.spring;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.name.Names;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.Credentials.Login;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DashboardModule;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Permission;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import io.rowqueue.worker.internal.WorkerThreads;
import io.rowqueue.worker.internal.dashboard.Dashboard;
import io.rowqueue.worker.internal.dashboard.Reply;
import io.rowqueue.worker.internal.dashboard.Request;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The dashboard for users whom the application has authenticated. Only those with the configured
 * role may change something. Starts with the first request of one. Thread-safe.
 */
final class DashboardServlet extends HttpServlet {

  private static final long serialVersionUID = 1L;

  private final transient Supplier<DataSource> source;
  private final String path;
  private final @Nullable String role;
  private final transient DashboardConfig config;
  private transient @Nullable Injector parts;

  /**
   * Does not connect.
   *
   * @param source is called at the first request: the server starts before the other beans
   */
  DashboardServlet(Supplier<DataSource> source, RowQueueProperties.Dashboard properties) {
    this.source = source;
    this.path = properties.path();
    this.role = properties.role();
    DashboardConfig open = DashboardConfig.open().withBasePath(properties.basePath());
    for (var queue : properties.queues().entrySet()) {
      open = open.withQueue(queue.getKey(), database(queue.getKey(), queue.getValue()));
    }
    this.config = open;
  }

  private static DatabaseConfig database(String name, RowQueueProperties.Queue queue) {
    try {
      return new DatabaseConfig(queue.url(), queue.username(), queue.password());
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "rowqueue.dashboard.queues.%s.url: %s".formatted(name, e.getMessage()), e);
    }
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Principal user = request.getUserPrincipal();
    if (user == null) {
      // Not by sendError: Boot's error page does not show the reason.
      response.setStatus(HttpServletResponse.SC_FORBIDDEN);
      response.setContentType("text/plain; charset=utf-8");
      response
          .getWriter()
          .println(
              "The dashboard is for authenticated users. Secure %s by Spring Security."
                  .formatted(path));
      return;
    }
    boolean operates = role != null && request.isUserInRole(role);
    String query = request.getQueryString();
    Reply reply =
        dashboard(request.getPathInfo())
            .answer(
                new Request(
                    request.getMethod(),
                    URI.create(
                        getServletContext().getContextPath()
                            + belowContext(request)
                            + (query == null ? "" : "?" + query)),
                    name -> Collections.list(request.getHeaders(name)),
                    request.getInputStream(),
                    origin(request),
                    request.getRemoteAddr(),
                    new Login(user.getName(), operates ? Permission.all() : Set.of())));
    response.setStatus(reply.status());
    reply.headers().forEach(response::setHeader);
    if (!request.getMethod().equals("HEAD")) {
      response.getOutputStream().write(reply.body());
    }
  }

  /** With the names of a proxy, if Spring or the server knows them from its headers. */
  private static String origin(HttpServletRequest request) {
    return "%s://%s:%d"
        .formatted(request.getScheme(), request.getServerName(), request.getServerPort());
  }

  /** Without the prefix of a gateway, which Spring's ForwardedHeaderFilter puts before it. */
  private static String belowContext(HttpServletRequest request) {
    return request.getRequestURI().substring(request.getContextPath().length());
  }

  /** Returns the dashboard of the queue that {@code below} names, or else of the application's. */
  private Dashboard dashboard(@Nullable String below) {
    Injector started = start();
    return config.queues().keySet().stream()
        .filter(name -> below != null && (below + "/").startsWith("/q/" + name + "/"))
        .findFirst()
        .map(name -> started.getInstance(further(name)))
        .orElseGet(() -> started.getInstance(Dashboard.class));
  }

  private static Key<Dashboard> further(String name) {
    return Key.get(Dashboard.class, Names.named(name));
  }

  private synchronized Injector start() {
    Injector started = parts;
    if (started == null) {
      String root = getServletContext().getContextPath() + path;
      started =
          Guice.createInjector(
              new WorkerModule(WorkerConfig.defaults(DatabaseConfig.of(source.get()))),
              new DashboardModule(config.withPath(root)),
              binder -> binder.bind(AdminConfig.class).toInstance(AdminConfig.onPort(0)));
      dashboards(started).forEach(Dashboard::running);
      parts = started;
    }
    return started;
  }

  private List<Dashboard> dashboards(Injector started) {
    List<Dashboard> all = new ArrayList<>(List.of(started.getInstance(Dashboard.class)));
    config.queues().keySet().forEach(name -> all.add(started.getInstance(further(name))));
    return all;
  }

  @Override
  public synchronized void destroy() {
    if (parts != null) {
      dashboards(parts).forEach(Dashboard::end);
      parts.getInstance(WorkerThreads.class).stop();
    }
  }
}
