package io.rowqueue.testkit;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Module;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A real worker with all its threads, in this JVM, on the server's clock. Its awaits read the queue
 * after each commit of the worker. Thread-safe.
 */
public final class LiveWorker implements AutoCloseable {

  /** For changes by other processes. */
  private static final Duration POLL_ANYWAY = Duration.ofMillis(100);

  private static final Duration LONGEST = Duration.ofSeconds(20);

  private final QueueDatabase database;
  private final Commits commits;
  private final Injector parts;
  private final Worker worker;

  private LiveWorker(QueueDatabase database, Commits commits, Injector parts) {
    this.database = database;
    this.commits = commits;
    this.parts = parts;
    this.worker = parts.getInstance(Worker.class);
  }

  /** Starts a worker with four threads and the handlers of {@code modules}. */
  public static LiveWorker start(QueueDatabase database, Module... modules) {
    return startConfigured(database, config -> config, modules);
  }

  /** Starts a worker with other settings. */
  public static LiveWorker startConfigured(
      QueueDatabase database, UnaryOperator<WorkerConfig> settings, Module... modules) {
    database.runClock();
    WorkerConfig config =
        WorkerConfig.defaults(database.config())
            .withThreads(4)
            .withPollInterval(Duration.ofMillis(100));
    Commits commits = new Commits();
    List<Module> all = new ArrayList<>(List.of(modules));
    all.add(new WorkerModule(settings.apply(config)));
    all.add(
        binder ->
            OptionalBinder.newOptionalBinder(binder, TransactionProbe.class)
                .setBinding()
                .toInstance(commits));
    LiveWorker live = new LiveWorker(database, commits, Guice.createInjector(all));
    live.worker.start();
    return live;
  }

  /** Returns an instance bound by its modules, or one of RowQueue's components. */
  public <T> T get(Class<T> type) {
    return parts.getInstance(type);
  }

  /**
   * Waits until the queue matches {@code fits}, for at most 20 s.
   *
   * @param what names the condition in the failure
   * @throws AssertionError if it does not match in time; shows the queue's contents
   */
  public QueueContents await(String what, Predicate<QueueContents> fits) {
    return await(what, LONGEST, fits);
  }

  /** Waits for at most {@code longest}. */
  public QueueContents await(String what, Duration longest, Predicate<QueueContents> fits) {
    long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(longest);
    TestQueue queue = database.queue();
    while (true) {
      long seen = commits.count();
      QueueContents contents = queue.poll();
      if (fits.test(contents)) {
        return contents;
      }
      if (System.nanoTime() > deadline || !commits.awaitMoreThan(seen, POLL_ANYWAY)) {
        throw new AssertionError(
            "%s, awaited for %s; the queue has:%n%s"
                .formatted(what, Humanize.duration(longest), contents));
      }
    }
  }

  /** Waits until no message is left, apart from dead letters. */
  public QueueContents awaitEmpty() {
    return await("the queue is empty", contents -> contents.messages().isEmpty());
  }

  /** Waits until {@code topic} has a message in any state. */
  public QueueContents awaitEnqueued(String topic) {
    return await(
        "a message of '" + topic + "' is in the queue",
        contents -> contents.messages().stream().anyMatch(each -> each.topic().equals(topic)));
  }

  /** Waits until {@code topic} has a dead letter. */
  public QueueContents awaitDeadLetter(String topic) {
    return await(
        "'" + topic + "' has a dead letter",
        contents -> contents.deadLetters().stream().anyMatch(each -> each.topic().equals(topic)));
  }

  /** Stops it. Idempotent. */
  @Override
  public void close() {
    worker.close();
  }

  /** Returns the number of the worker's commits. */
  private static final class Commits implements TransactionProbe {

    private long count;

    @Override
    public synchronized void afterCommit(Transition transition) {
      count++;
      notifyAll();
    }

    synchronized long count() {
      return count;
    }

    /** Waits for the next commit or the timeout; returns false if the thread is interrupted. */
    synchronized boolean awaitMoreThan(long seen, Duration longest) {
      try {
        long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(longest);
        long left = longest.toMillis();
        while (count <= seen && left > 0) {
          wait(left);
          left = (deadline - System.nanoTime()) / 1_000_000;
        }
        return true;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
  }
}
