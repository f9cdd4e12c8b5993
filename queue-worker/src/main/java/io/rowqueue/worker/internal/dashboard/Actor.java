package io.rowqueue.worker.internal.dashboard;

/**
 * The user behind a request.
 *
 * @param name the user's name; a dash without authentication
 * @param address the client's address
 */
public record Actor(String name, String address) {

  /** The name of a user who is not authenticated. */
  static final String UNKNOWN = "-";

  /** Returns name and address, for people. */
  String text() {
    return name.equals(UNKNOWN) ? address : name + " from " + address;
  }
}
