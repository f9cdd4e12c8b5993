package io.rowqueue.worker.internal.dashboard;

/**
 * An authenticated request.
 *
 * @param path below the dashboard, without a trailing slash; empty for the overview
 * @param query the query parameters
 * @param form the form's fields; empty for GET
 * @param who the user
 * @param session identifies the browser
 * @param theme the browser's choice
 */
record Call(String path, Params query, Params form, Actor who, String session, Theme theme) {

  /** The parameter of a page that a browser without JavaScript loads again by itself. */
  static final String AGAIN = "again";

  /** Returns whether only the refreshed part of the page is requested. */
  boolean isFragment() {
    return query.text("fragment").equals("1");
  }

  /** Returns whether an open page asks, and no user. */
  static boolean isRefresh(Params query) {
    return query.text("fragment").equals("1") || query.text(AGAIN).equals("1");
  }
}
