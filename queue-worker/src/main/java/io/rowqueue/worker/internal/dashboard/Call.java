package io.rowqueue.worker.internal.dashboard;

/**
 * One request that was let in.
 *
 * @param path beneath the dashboard, without a slash at its end; empty for the overview
 * @param query what the address says
 * @param form what was sent; empty for a look
 * @param who who asks
 * @param session names the browser
 */
record Call(String path, Params query, Params form, Actor who, String session) {

  /** Whether only what changes by itself is asked for. */
  boolean isFragment() {
    return query.text("fragment").equals("1");
  }
}
