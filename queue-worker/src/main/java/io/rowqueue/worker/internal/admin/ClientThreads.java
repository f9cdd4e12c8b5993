package io.rowqueue.worker.internal.admin;

import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The threads that read requests and write answers. If all are busy, the one that has waited for
 * its client longest is interrupted, which closes that client's connection: a client that is slow
 * to send or to read keeps no other from being served. Thread-safe.
 */
final class ClientThreads implements Executor, AutoCloseable {

  /** More than wait for slow clients by chance. Each ends after a minute without work. */
  static final int MOST = 100;

  private final AtomicInteger number = new AtomicInteger();
  private final Set<Thread> waiting = new LinkedHashSet<>();
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          0, MOST, 1, TimeUnit.MINUTES, new SynchronousQueue<>(), this::thread, this::makeRoom);

  private Thread thread(Runnable work) {
    Thread thread = new Thread(work, "queue-admin-" + number.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public void execute(Runnable work) {
    threads.execute(
        () -> {
          begin();
          try {
            work.run();
          } finally {
            end();
          }
        });
  }

  /** Returns the result of {@code work}, which does not wait for the client and is not cut off. */
  <T> T undisturbed(Supplier<T> work) {
    end();
    try {
      return work.get();
    } finally {
      begin();
    }
  }

  private synchronized void begin() {
    waiting.add(Thread.currentThread());
  }

  /** An interrupt that came too late is not the next work's. */
  private synchronized void end() {
    waiting.remove(Thread.currentThread());
    var unused = Thread.interrupted();
  }

  private synchronized boolean interruptOldest() {
    var oldest = waiting.iterator();
    if (!oldest.hasNext()) {
      return false;
    }
    oldest.next().interrupt();
    oldest.remove();
    return true;
  }

  private void makeRoom(Runnable work, ThreadPoolExecutor pool) {
    try {
      if (pool.isShutdown()
          || !interruptOldest()
          || !pool.getQueue().offer(work, 1, TimeUnit.SECONDS)) {
        throw new RejectedExecutionException("all threads are busy");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RejectedExecutionException(e);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
