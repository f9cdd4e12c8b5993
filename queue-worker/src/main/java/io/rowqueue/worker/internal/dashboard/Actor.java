package io.rowqueue.worker.internal.dashboard;

/**
 * Who asks.
 *
 * @param name the user's; a dash where nobody was asked for one
 * @param address where the request came from
 */
public record Actor(String name, String address) {

  /** Of somebody who was not asked. */
  static final String UNKNOWN = "-";

  /** For people who read it later. */
  String text() {
    return name.equals(UNKNOWN) ? address : name + " from " + address;
  }
}
