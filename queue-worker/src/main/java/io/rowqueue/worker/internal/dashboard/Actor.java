package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.worker.Permission;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The user behind a request.
 *
 * @param name the user's name; a dash without authentication
 * @param address the client's address
 * @param permissions what the user may change
 * @param table where the user's changes are recorded; null for one who is not admitted
 */
record Actor(String name, String address, Set<Permission> permissions, @Nullable AuditTable table) {

  /** A user who changes nothing. */
  Actor(String name, String address) {
    this(name, address, Set.of(), null);
  }

  /** The name of a user who is not authenticated. */
  static final String UNKNOWN = "-";

  /** Returns name and address, for people. */
  String text() {
    return name.equals(UNKNOWN) ? address : name + " from " + address;
  }
}
