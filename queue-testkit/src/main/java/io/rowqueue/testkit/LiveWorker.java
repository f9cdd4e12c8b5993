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
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A real worker with all its threads, in this JVM, by the server's own clock. Its awaits look at
 * the queue each time that the worker has committed something. Thread-safe.
 */
public final class LiveWorker implements AutoCloseable {

  /** For what no worker of this JVM commits. */
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

  /** Starts one with four threads and the handlers of {@code modules}. */
  public static LiveWorker start(QueueDatabase database, Module... modules) {
    return startConfigured(database, config -> config, modules);
  }

  /** The same with other settings. */
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

  /** What its modules bind, or one of RowQueue's own rooms. */
  public <T> T get(Class<T> type) {
    return parts.getInstance(type);
  }

  /**
   * Waits until the queue is as {@code fits} says, for 20 s at most.
   *
   * @param what that in words, for the failure
   * @throws AssertionError if it is not so in time; it shows what the queue has
   */
  public QueueContents await(String what, Predicate<QueueContents> fits) {
    return await(what, LONGEST, fits);
  }

  /** The same for {@code longest} at most. */
  public QueueContents await(String what, Duration longest, Predicate<QueueContents> fits) {
    long deadline = System.nanoTime() + longest.toNanos();
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

  /** Waits until no message is left; dead letters do not count. */
  public QueueContents awaitEmpty() {
    return await("the queue is empty", contents -> contents.messages().isEmpty());
  }

  /** Waits until a message of {@code topic} is in the queue, whatever its state. */
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

  /** How often the worker has committed. */
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

    /** Waits for the next, or for so long; false if the thread is interrupted. */
    synchronized boolean awaitMoreThan(long seen, Duration longest) {
      try {
        long deadline = System.nanoTime() + longest.toNanos();
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
