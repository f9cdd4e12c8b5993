package io.rowqueue.worker.internal.lease;

import io.rowqueue.internal.reap.WorkerRegistry.WorkerLoad;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** What this worker does now. Not thread-safe. */
final class LoadMeter {

  /** With less, the rate would jump from renewal to renewal. */
  private static final long WINDOW = TimeUnit.SECONDS.toNanos(10);

  private final IntSupplier threads;
  private final IntSupplier busy;
  private final IntSupplier handled;
  private final LongSupplier nanoTime;
  private long since;
  private int handledBefore;
  private @Nullable Double perSecond;

  LoadMeter(IntSupplier threads, IntSupplier busy, IntSupplier handled, LongSupplier nanoTime) {
    this.threads = threads;
    this.busy = busy;
    this.handled = handled;
    this.nanoTime = nanoTime;
    this.since = nanoTime.getAsLong();
  }

  WorkerLoad read() {
    int total = handled.getAsInt();
    long now = nanoTime.getAsLong();
    if (now - since >= WINDOW) {
      double seconds = (now - since) / (double) TimeUnit.SECONDS.toNanos(1);
      perSecond = Math.round(10 * (total - handledBefore) / seconds) / 10.0;
      since = now;
      handledBefore = total;
    }
    Runtime memory = Runtime.getRuntime();
    return new WorkerLoad(
        threads.getAsInt(),
        busy.getAsInt(),
        total,
        perSecond,
        memory.totalMemory() - memory.freeMemory(),
        memory.maxMemory());
  }
}
