package io.rowqueue.worker.internal.lease;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this host is called in lock ids, and by people who read them. */
public final class HostName {

  /** Where Linux tells it, also where nothing resolves it. */
  private static final Path KERNEL = Path.of("/proc/sys/kernel/hostname");

  private HostName() {}

  /** The name; {@code unknown} where there is none. */
  public static String find() {
    return find(KERNEL);
  }

  static String find(Path kernel) {
    try {
      String name = Files.readString(kernel).strip();
      return name.isEmpty() ? resolved() : name;
    } catch (IOException e) {
      return resolved();
    }
  }

  /** Fails where the name stands neither in the hosts file nor in a DNS. */
  private static String resolved() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
