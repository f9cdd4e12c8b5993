package io.rowqueue.worker.internal.admin;

import com.sun.net.httpserver.HttpHandler;

/**
 * Additional pages below a path of the admin port. Bound in a set, empty by default.
 * Implementations must not block the port's two threads, which also serve health checks.
 */
public interface AdminPage extends HttpHandler {

  /** Returns the path, such as {@code /dashboard}. */
  String path();
}
