package io.rowqueue.worker;

/**
 * Where a worker shows itself.
 *
 * @param host the address to listen on; only the own host can reach a loopback address
 * @param port 1 to 65,535, or 0 for any that is free
 */
public record AdminConfig(String host, int port) {

  /** Checks the port. */
  public AdminConfig {
    if (host.isBlank()) {
      throw new IllegalArgumentException("the admin host is empty; use 127.0.0.1 for this host");
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException(
          "the admin port must lie between 0 and 65535, not %d".formatted(port));
    }
  }

  /** On the own host only. */
  public static AdminConfig onPort(int port) {
    return new AdminConfig("127.0.0.1", port);
  }

  /** The same on another address. */
  public AdminConfig withHost(String value) {
    return new AdminConfig(value, port);
  }
}
