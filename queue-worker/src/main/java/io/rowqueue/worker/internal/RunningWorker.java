package io.rowqueue.worker.internal;

import com.google.inject.Inject;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import io.rowqueue.QueueException;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.internal.schema.MessageIds;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerHealth;
import io.rowqueue.worker.WorkerService;
import io.rowqueue.worker.internal.admin.Health;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import io.rowqueue.worker.internal.grant.AccountCheck;
import io.rowqueue.worker.internal.lease.WorkerLease;
import io.rowqueue.worker.internal.maintain.CancelPoller;
import io.rowqueue.worker.internal.maintain.DepthPoller;
import io.rowqueue.worker.internal.maintain.Maintenance;
import io.rowqueue.worker.internal.maintain.OperatorPoller;
import io.rowqueue.worker.internal.maintain.ProgressFlusher;
import io.rowqueue.worker.internal.maintain.SchedulePoller;
import io.rowqueue.worker.internal.observe.WorkStatistics;
import io.rowqueue.worker.internal.poll.Claimer;
import io.rowqueue.worker.internal.poll.DrainOnce;
import io.rowqueue.worker.internal.poll.Listener;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts and stops the components in order. They are created at the start, so that building the
 * injector needs no database.
 */
@Singleton
public final class RunningWorker implements Worker {

  private static final Logger LOG = LoggerFactory.getLogger(RunningWorker.class);

  private static final int MOST_NAMED = 10;
  private static final Duration SETTLE_INTERRUPTED = Duration.ofSeconds(5);
  private static final Duration FOR_EVER = Duration.ofDays(36_525);

  private enum State {
    LATENT,
    RUNNING,
    DRAINED,
    CLOSED
  }

  private final WorkerConfig config;
  private final Provider<Parts> parts;
  private final WorkerPools pools;
  private final WorkerThreads threads;
  private final Set<WorkerService> annexes;
  private final Health health;
  private final AtomicReference<State> state = new AtomicReference<>(State.LATENT);
  private volatile Runnable requested = this::drainAndClose;
  private boolean finishedByThemselves = true;

  /** Also by a drain that came before the start: a single run then claims nothing. */
  private volatile boolean drainAsked;

  /** While a start holds the monitor, which may wait for a silent server for minutes. */
  private volatile boolean starting;

  /** Whether a handler drained the worker, which did not wait for it. */
  private boolean leavesHandler;

  /** Those that were told of the start. */
  private Set<WorkerService> services = Set.of();

  @Inject
  RunningWorker(
      WorkerConfig config,
      Provider<Parts> parts,
      WorkerPools pools,
      WorkerThreads threads,
      Set<WorkerService> annexes,
      Health health) {
    this.config = config;
    this.parts = parts;
    this.pools = pools;
    this.threads = threads;
    this.annexes = annexes;
    this.health = health;
  }

  @Override
  public void start() {
    begin(
        all -> {
          all.maintenance.start();
          all.operators.start(this::drainRequested);
          all.schedules.start();
          all.depths.start();
          all.progress.start();
          all.cancels.start();
          all.listener.start();
          annexes.forEach(WorkerService::running);
          health.running();
          // Last: a start that fails has claimed nothing.
          all.claimer.start();
        },
        annexes);
  }

  @Override
  public void onDrainRequested(Runnable action) {
    requested = action;
  }

  private void drainRequested() {
    LOG.info("an operator requested a drain of this worker");
    requested.run();
  }

  private void drainAndClose() {
    try {
      drain(config.shutdownTimeout());
    } finally {
      close();
    }
  }

  @Override
  public int runOnce() {
    begin(
        all -> {
          all.operators.start(this::drainRequested);
          all.progress.start();
          all.cancels.start();
        },
        Set.of());
    Parts all = parts.get();
    try {
      if (!drainAsked) {
        all.oneRun.run();
      }
    } finally {
      // Whatever has ended it, also an interrupt: running handlers still have their time.
      boolean interrupted = Thread.interrupted();
      drainAndClose();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return all.dispatcher.handled();
  }

  private synchronized void begin(Consumer<Parts> loops, Set<WorkerService> external) {
    if (!state.compareAndSet(State.LATENT, State.RUNNING)) {
      throw new IllegalStateException("a worker is started once, and this one is " + state.get());
    }
    Parts all = null;
    boolean started = false;
    starting = true;
    try {
      services = external;
      external.forEach(WorkerService::begin);
      all = parts.get();
      AccountCheck.check(all.transactions, Role.WORKER);
      all.schema.check();
      raiseIds(all.transactions);
      all.schema.queueName();
      all.registry.makeHandlers();
      all.schedules.declare();
      subscribe(all);
      all.dispatcher.start();
      all.lease.start();
      loops.accept(all);
      started = true;
    } catch (com.google.inject.ProvisionException e) {
      throw e.getCause() instanceof io.rowqueue.QueueException known ? known : e;
    } finally {
      starting = false;
      if (!started) {
        state.set(State.CLOSED);
        free(all);
      }
    }
  }

  private static void subscribe(Parts all) {
    int added = all.subscriptions.declare(all.subscribed);
    if (added > 0) {
      LOG.info(
          "{} added",
          Humanize.count(
              added,
              "subscription of this worker's modules was",
              "subscriptions of this worker's modules were"));
    }
  }

  /** The worker also works without this. */
  private static void raiseIds(Transactions transactions) {
    try {
      MessageIds.raise(transactions);
    } catch (QueueException e) {
      LOG.warn("cannot check whether message ids would be reused: {}", FailureText.of(e));
    }
  }

  @Override
  public WorkerHealth health() {
    return state.get() == State.CLOSED
        ? new WorkerHealth(null, "the worker has ended", 0, 0)
        : health.read();
  }

  @Override
  public boolean drain(Duration longest) {
    try (StopDeadline start = starting ? deadline(atMost(longest)) : null) {
      return drainStarted(longest);
    }
  }

  private synchronized boolean drainStarted(Duration longest) {
    drainAsked = true;
    boolean first = state.compareAndSet(State.RUNNING, State.DRAINED);
    if (!first && (state.get() != State.DRAINED || !leavesHandler)) {
      return finishedByThemselves;
    }
    if (first) {
      LOG.info(
          "draining: no more claims; running handlers have up to {}", Humanize.duration(longest));
      health.draining();
      services.forEach(WorkerService::draining);
    }
    Parts all = parts.get();
    // Interrupted handlers still settle their messages, and need their connections for it.
    try (StopDeadline deadline = deadline(atMost(longest).plus(SETTLE_INTERRUPTED))) {
      if (first) {
        stopClaims(all);
      }
      finishedByThemselves = await(all, longest);
    }
    leavesHandler = all.dispatcher.caller() != null;
    LOG.info("drained");
    return finishedByThemselves;
  }

  private StopDeadline deadline(Duration longest) {
    return StopDeadline.after(longest, pools::cut);
  }

  /** Without what a {@link Duration} cannot add to. */
  private static Duration atMost(Duration longest) {
    return longest.compareTo(FOR_EVER) < 0 ? longest : FOR_EVER;
  }

  private static void stopClaims(Parts all) {
    try {
      all.claimer.stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    releaseWaiting(all);
    Claim caller = all.dispatcher.caller();
    if (caller != null) {
      LOG.warn(
          "the handler of {} stops its own worker, which does not wait for it; unless it returns"
              + " before the worker is closed, another worker takes over the message",
          caller);
    }
  }

  private static boolean await(Parts all, Duration longest) {
    long began = System.nanoTime();
    boolean byThemselves = all.dispatcher.awaitIdle(longest);
    if (!byThemselves) {
      interrupt(all, since(began));
    }
    return byThemselves;
  }

  private static Duration since(long nanos) {
    return Duration.ofMillis(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos));
  }

  private static void interrupt(Parts all, Duration waited) {
    LOG.warn(
        "{} after {}; no attempt of their messages is counted: {}",
        Humanize.count(
            all.dispatcher.others(),
            "handler still runs and is interrupted",
            "handlers still run and are interrupted"),
        Humanize.duration(waited),
        all.dispatcher.running(MOST_NAMED));
    long began = System.nanoTime();
    all.dispatcher.stopRunning();
    if (!all.dispatcher.awaitIdle(SETTLE_INTERRUPTED)) {
      LOG.warn(
          "{} not ended {} after the interrupt; other workers will take over the messages",
          Humanize.count(all.dispatcher.others(), "handler has", "handlers have"),
          Humanize.duration(since(began)));
    }
  }

  private static void releaseWaiting(Parts all) {
    List<Claim> waiting = all.dispatcher.takeWaiting(Duration.ZERO);
    try {
      int released = all.settler.releaseAll(waiting);
      if (released > 0) {
        LOG.info(
            "{} released for other workers",
            Humanize.count(
                released, "claim that had not started was", "claims that had not started were"));
      }
    } catch (io.rowqueue.QueueException e) {
      LOG.warn(
          "{} not be released; other workers reap them: {}",
          Humanize.count(waiting.size(), "claim could", "claims could"),
          FailureText.of(e));
    } finally {
      all.dispatcher.forget(waiting);
    }
  }

  /** A second call returns when the first one is done. */
  @Override
  public void close() {
    try (StopDeadline start = starting ? deadline(Duration.ZERO) : null) {
      closeStarted();
    }
  }

  private synchronized void closeStarted() {
    drainStarted(Duration.ZERO);
    if (state.compareAndSet(State.DRAINED, State.CLOSED)) {
      free(parts.get());
    } else if (state.compareAndSet(State.LATENT, State.CLOSED)) {
      free(null);
    }
  }

  /** Releases every resource; {@code parts} is null if the start failed early. */
  private void free(@Nullable Parts all) {
    try (StopDeadline deadline = deadline(Duration.ZERO)) {
      if (all != null) {
        step("handler threads could not be ended", all.dispatcher::close);
        step("the listener could not be ended", all.listener::close);
      }
      annexes.forEach(annex -> step("a service of the worker could not be ended", annex::end));
      threads.stop();
      // Before the join: a handler that does not end must not make this worker look alive to its
      // peers.
      if (all != null) {
        step("the last statistics are missing", all.statistics::flush);
        step(
            "the worker's slots could not be released; other workers will free them",
            all.claimer::releaseSlots);
        step("the worker's row stays until its lease runs out", all.lease::end);
      }
      threads.join();
    }
    pools.close();
  }

  /** A step of the stop; whatever it throws, the others follow. */
  private static void step(String consequence, Runnable step) {
    try {
      step.run();
    } catch (Throwable e) {
      Throwable trace = e instanceof QueueException ? null : e;
      LOG.warn("{}: {}", consequence, FailureText.of(e), trace);
    }
  }

  /** The components that are started and stopped. */
  @Singleton
  record Parts(
      Transactions transactions,
      QueueSchema schema,
      HandlerRegistry registry,
      Settler settler,
      Dispatcher dispatcher,
      WorkerLease lease,
      Maintenance maintenance,
      OperatorPoller operators,
      SchedulePoller schedules,
      Subscriptions subscriptions,
      Set<Subscription> subscribed,
      DepthPoller depths,
      ProgressFlusher progress,
      WorkStatistics statistics,
      CancelPoller cancels,
      Listener listener,
      Claimer claimer,
      DrainOnce oneRun) {
    @Inject
    Parts {}
  }

  /**
   * Closes the worker's connections when a step of its stop exceeds its time: with an unreachable
   * server, the stop would otherwise wait for the socket timeouts. Threads that wait for an answer
   * then fail, and the stop continues.
   */
  private static final class StopDeadline implements AutoCloseable {

    /** In addition to the time for running handlers. */
    private static final Duration MARGIN = Duration.ofSeconds(5);

    private final CountDownLatch over = new CountDownLatch(1);

    private StopDeadline() {}

    /** Starts the countdown; {@code cut} runs on a thread of its own. */
    static StopDeadline after(Duration handlers, Runnable cut) {
      StopDeadline deadline = new StopDeadline();
      Thread thread =
          new Thread(() -> deadline.awaitOr(handlers.plus(MARGIN), cut), "queue-stop-deadline");
      thread.setDaemon(true);
      try {
        thread.start();
      } catch (OutOfMemoryError e) {
        LOG.warn("no thread can be started to limit the stop's wait for the database", e);
      }
      return deadline;
    }

    private void awaitOr(Duration longest, Runnable cut) {
      try {
        if (!over.await(TimeUnit.NANOSECONDS.convert(longest), TimeUnit.NANOSECONDS)) {
          LOG.warn(
              "shutdown has waited {} for the database; closing its connections",
              Humanize.duration(longest));
          cut.run();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    /** Cancels the countdown. */
    @Override
    public void close() {
      over.countDown();
    }
  }
}
