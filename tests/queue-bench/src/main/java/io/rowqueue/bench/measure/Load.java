package io.rowqueue.bench.measure;

import java.lang.management.ManagementFactory;

/** How busy the machine is; a figure from a busy one says little. */
public final class Load {

  private Load() {}

  /** Runnable threads, an average of the last minute, as the operating system counts them. */
  public static double average() {
    return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
  }
}
