package io.rowqueue.worker.internal.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A standard stream of the daemon. A log collector that hangs reads no more, and a write to its
 * pipe would then block every thread that logs. Here a thread of its own writes; what does not fit
 * into its buffer is dropped, and counted in the stream. Thread-safe.
 */
final class DaemonOutput extends OutputStream {

  private static final int MOST_BYTES = 4 << 20;
  private static final long LONGEST_FLUSH_SECONDS = 1;

  /** All before it has been written once it is taken. */
  private static final byte[] FLUSH = {};

  private final OutputStream real;
  private final long most;
  private final BlockingQueue<byte[]> waiting = new LinkedBlockingQueue<>();
  private final AtomicLong waitingBytes = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final CountDownLatch flushed = new CountDownLatch(1);

  private DaemonOutput(OutputStream real, long most) {
    this.real = real;
    this.most = most;
  }

  /** Replaces both standard streams; handlers write to them, too. */
  static void install() {
    System.setOut(over(new FileOutputStream(FileDescriptor.out), MOST_BYTES));
    System.setErr(over(new FileOutputStream(FileDescriptor.err), MOST_BYTES));
  }

  /** Writes to {@code real}, for which up to {@code most} bytes wait. */
  static PrintStream over(OutputStream real, long most) {
    DaemonOutput output = new DaemonOutput(real, most);
    Thread writer = new Thread(output::drain, "queue-output");
    writer.setDaemon(true);
    writer.start();
    Runtime.getRuntime().addShutdownHook(new Thread(output::awaitWritten, "queue-output-flush"));
    return new PrintStream(output, true, Charset.defaultCharset());
  }

  @Override
  public void write(int one) {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    if (waitingBytes.addAndGet(length) > most) {
      waitingBytes.addAndGet(-length);
      dropped.incrementAndGet();
    } else {
      waiting.add(Arrays.copyOfRange(bytes, offset, offset + length));
    }
  }

  private void drain() {
    while (true) {
      try {
        byte[] next = waiting.take();
        if (next == FLUSH) {
          flushed.countDown();
          continue;
        }
        try {
          long lost = dropped.getAndSet(0);
          if (lost > 0) {
            real.write(
                "%d lines were dropped here: no process read this output%n"
                    .formatted(lost)
                    .getBytes(StandardCharsets.UTF_8));
          }
          real.write(next);
        } finally {
          waitingBytes.addAndGet(-next.length);
        }
      } catch (IOException | InterruptedException | Error e) {
        // The reader has gone, a handler interrupts all threads, or memory is short: the next line
        // may get through.
      }
    }
  }

  /** Lets the last lines out. */
  private void awaitWritten() {
    waiting.add(FLUSH);
    try {
      var unused = flushed.await(LONGEST_FLUSH_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      // The process ends.
    }
  }
}
