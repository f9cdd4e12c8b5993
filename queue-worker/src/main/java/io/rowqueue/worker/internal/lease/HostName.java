package io.rowqueue.worker.internal.lease;

import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;

/** This host's name in lock ids and messages. */
public final class HostName {

  /** Linux provides it here even if name resolution fails. */
  private static final Path KERNEL = Path.of("/proc/sys/kernel/hostname");

  private HostName() {}

  /** Returns the name; {@code unknown} if there is none. */
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

  /** Fails if neither the hosts file nor DNS has the name. */
  private static String resolved() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "unknown";
    }
  }
}
