package io.rowqueue.worker;

/**
 * The address of a worker's admin port.
 *
 * @param host the address to listen on; a loopback address is reachable from this host only
 * @param port 1 to 65,535, or 0 for any free port
 */
public record AdminConfig(String host, int port) {

  /** Validates the port. */
  public AdminConfig {
    if (host.isBlank()) {
      throw new IllegalArgumentException("the admin host is empty; use 127.0.0.1 for this host");
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException(
          "the admin port must lie between 0 and 65535, not %d".formatted(port));
    }
  }

  /** Listens on this host only. */
  public static AdminConfig onPort(int port) {
    return new AdminConfig("127.0.0.1", port);
  }

  /** Returns a copy that listens on another address. */
  public AdminConfig withHost(String value) {
    return new AdminConfig(value, port);
  }
}
