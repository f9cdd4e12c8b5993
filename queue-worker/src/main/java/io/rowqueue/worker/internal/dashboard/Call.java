package io.rowqueue.worker.internal.dashboard;

/**
 * An authenticated request.
 *
 * @param path below the dashboard, without a trailing slash; empty for the overview
 * @param query the query parameters
 * @param form the form's fields; empty for GET
 * @param who the user
 * @param session identifies the browser
 */
record Call(String path, Params query, Params form, Actor who, String session) {

  /** Returns whether only the refreshed part of the page is requested. */
  boolean isFragment() {
    return isFragment(query);
  }

  static boolean isFragment(Params query) {
    return query.text("fragment").equals("1");
  }
}
