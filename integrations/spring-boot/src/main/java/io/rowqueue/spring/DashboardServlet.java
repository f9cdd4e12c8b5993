package io.rowqueue.spring;

import com.google.inject.Guice;
import com.google.inject.Injector;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DashboardModule;
import io.rowqueue.worker.DatabaseConfig;
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
import java.util.Collections;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The dashboard for users whom the application has authenticated. Starts with the first request of
 * one. Thread-safe.
 */
final class DashboardServlet extends HttpServlet {

  private static final long serialVersionUID = 1L;

  private final transient DataSource source;
  private final String path;
  private transient @Nullable Injector parts;

  DashboardServlet(DataSource source, String path) {
    this.source = source;
    this.path = path;
  }

  @Override
  protected void service(HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Principal user = request.getUserPrincipal();
    if (user == null) {
      // Not sendError: Boot's error page does not show the reason.
      response.setStatus(HttpServletResponse.SC_FORBIDDEN);
      response.setContentType("text/plain; charset=utf-8");
      response
          .getWriter()
          .println(
              "The dashboard is for authenticated users. Secure " + path + " by Spring Security.");
      return;
    }
    String query = request.getQueryString();
    Reply reply =
        dashboard()
            .answer(
                new Request(
                    request.getMethod(),
                    URI.create(request.getRequestURI() + (query == null ? "" : "?" + query)),
                    name -> Collections.list(request.getHeaders(name)),
                    request.getInputStream(),
                    request.getRemoteAddr(),
                    user.getName()));
    response.setStatus(reply.status());
    reply.headers().forEach(response::setHeader);
    if (!request.getMethod().equals("HEAD")) {
      response.getOutputStream().write(reply.body());
    }
  }

  private synchronized Dashboard dashboard() {
    Injector started = parts;
    if (started == null) {
      DashboardConfig config =
          DashboardConfig.open().withPath(getServletContext().getContextPath() + path);
      started =
          Guice.createInjector(
              new WorkerModule(WorkerConfig.defaults(DatabaseConfig.of(source))),
              new DashboardModule(config),
              binder -> binder.bind(AdminConfig.class).toInstance(AdminConfig.onPort(0)));
      started.getInstance(Dashboard.class).running();
      parts = started;
    }
    return started.getInstance(Dashboard.class);
  }

  @Override
  public synchronized void destroy() {
    if (parts != null) {
      parts.getInstance(Dashboard.class).end();
      parts.getInstance(WorkerThreads.class).stop();
    }
  }
}
