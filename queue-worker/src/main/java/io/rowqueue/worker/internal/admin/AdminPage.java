package io.rowqueue.worker.internal.admin;

import com.sun.net.httpserver.HttpHandler;

/**
 * Something of its own beneath a path of the admin port. Bound in a set, which is empty unless
 * somebody adds to it. It must not keep the port's two threads: health is shown by them, too.
 */
public interface AdminPage extends HttpHandler {

  /** Where it lies, such as {@code /dashboard}. */
  String path();
}
