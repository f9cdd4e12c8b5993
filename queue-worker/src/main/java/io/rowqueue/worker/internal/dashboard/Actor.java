package io.rowqueue.worker.internal.dashboard;

import org.jspecify.annotations.Nullable;

/**
 * The user behind a request.
 *
 * @param name the user's name; a dash without authentication
 * @param address the client's address
 * @param operates whether the user may change anything
 * @param table where the user's changes are recorded; null for one who is not admitted
 */
record Actor(String name, String address, boolean operates, @Nullable AuditTable table) {

  /** A user who changes nothing. */
  Actor(String name, String address) {
    this(name, address, false, null);
  }

  /** The name of a user who is not authenticated. */
  static final String UNKNOWN = "-";

  /** Returns name and address, for people. */
  String text() {
    return name.equals(UNKNOWN) ? address : name + " from " + address;
  }
}
