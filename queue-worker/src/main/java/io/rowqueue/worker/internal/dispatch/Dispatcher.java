package io.rowqueue.worker.internal.dispatch;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.body.BodySweep;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.handle.HandlerPipeline;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.internal.handle.Handling;
import io.rowqueue.internal.handle.HandlingListener;
import io.rowqueue.internal.progress.ProgressReport;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.Signal;
import io.rowqueue.worker.internal.WorkerObserver;
import io.rowqueue.worker.internal.WorkerThreads;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives claims to handler threads and knows every one of them until it ends. Thread-safe. */
@Singleton
public final class Dispatcher implements HandlingListener {

  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

  private final HandlerPipeline pipeline;
  private final WorkerThreads threads;
  private final HandlerThreads handlers;
  private final Signal claimer;
  private final InFlight inFlight;
  private final ThreadLimits limits;
  private final DispatchQueue queue;
  private final FreeCapacity capacity;
  private final Running running;
  private final GroupedAcks acks;
  private final AckedBodies spent;
  private final WorkerObserver observer;
  private final AtomicInteger handled = new AtomicInteger();
  private volatile Consumer<Topic> unread = topic -> {};

  @Inject
  Dispatcher(
      WorkerConfig config,
      HandlerPipeline pipeline,
      HandlerRegistry registry,
      Settler settler,
      ServerSideCut cutter,
      WorkerThreads threads,
      Signal claimer,
      LeaseState leaseState,
      BodySweep bodies,
      WorkerObserver observer) {
    this.pipeline = pipeline;
    this.threads = threads;
    this.claimer = claimer;
    this.observer = observer;
    this.inFlight = new InFlight(config.aloneFrom());
    this.limits = new ThreadLimits(config, registry);
    this.queue =
        new DispatchQueue(
            limits::maxThreads, limits::mayRun, config.claims()::weight, registry::binding);
    this.handlers =
        new HandlerThreads(
            config.threads(),
            limits::maxThreads,
            threads,
            queue,
            inFlight,
            leaseState,
            pipeline,
            this,
            this::wakeClaimer);
    this.capacity = new FreeCapacity(config, registry, limits, inFlight, queue, handlers::busy);
    this.running = new Running(inFlight, cutter);
    this.spent = new AckedBodies(bodies, threads);
    this.acks = new GroupedAcks(new GroupAcker(settler));
  }

  /** Starts the handler threads and the watch over their time. */
  public void start() {
    handlers.startMissing();
    threads.loop("watch", Duration.ofMillis(100), this::watch);
    threads.start("acks", () -> acks.ackUntil(threads::isStopped));
  }

  /** Takes over claims; each is handled, or given back. */
  public void dispatch(List<Claim> claims) {
    for (Claim claim : claims) {
      inFlight.add(claim);
      queue.add(claim);
    }
  }

  /**
   * How many more claims the handler threads can use soon, within the bounds of memory. Claims that
   * wait for their own topic's threads keep no idle thread from other topics.
   */
  public int capacity() {
    return capacity.ofAll();
  }

  /**
   * How many more claims of {@code topic} the threads that it may have can use soon; its aliases
   * have the same threads.
   */
  public int capacity(Topic topic) {
    return capacity.of(topic);
  }

  /** The same, if no more than {@code handlings} may run at once under just this name. */
  public int capacity(Topic name, int handlings) {
    return capacity.of(name, handlings);
  }

  /** How many handlings run that began under just this name. */
  public int running(Topic name) {
    return queue.runningUnder(name);
  }

  /** How many claims wait for a thread under just this name. */
  public int waiting(Topic name) {
    return queue.waitingUnder(name);
  }

  /** While {@code handlings} or more run under just this name, no other begins under it. */
  public void allow(Topic name, int handlings) {
    if (limits.allow(name, handlings)) {
      queue.reconsider();
    }
  }

  /** Again as many run under this name as have threads. */
  public void allowAll(Topic name) {
    capacity.unlimited(name);
    if (limits.allowAll(name)) {
      queue.reconsider();
    }
  }

  /** How many claims are not settled. */
  public int held() {
    return inFlight.size();
  }

  /** How many of them wait for a thread. */
  public int waiting() {
    return inFlight.waiting();
  }

  /** How many threads handle. */
  public int busy() {
    return handlers.busy();
  }

  /** Whether a thread has nothing to do, and nothing waits for it. */
  public boolean hasSpareThread() {
    return capacity.idleThreads() > queue.runnable();
  }

  /** How many threads {@code topic} may have. */
  public int maxThreads(Topic topic) {
    return limits.maxThreads(topic);
  }

  /** Whether a message that must be handled alone is among the claims. */
  public boolean hasAlone() {
    return inFlight.alone() > 0;
  }

  /** The keys of all claims that are not settled. */
  public Set<ClaimKey> known() {
    return inFlight.keys();
  }

  /** Takes back the claims that have waited at least {@code longest} for a thread. */
  public List<Claim> takeWaiting(Duration longest) {
    return takeWaiting(longest, topic -> false);
  }

  /** Takes back those, and all that wait of the topics that are {@code paused}. */
  public List<Claim> takeWaiting(Duration longest, Predicate<Topic> paused) {
    List<Claim> taken = inFlight.takeWaiting(longest, paused);
    if (!taken.isEmpty()) {
      queue.remove(taken);
    }
    return taken;
  }

  /** The claims that {@link #takeWaiting} took are given back. */
  public void forget(List<Claim> claims) {
    inFlight.removeAll(claims);
  }

  /** Drops every claim that has not started: they are no longer this worker's. */
  public void giveUpWaiting() {
    queue.clear();
    forget(inFlight.takeWaiting(Duration.ZERO, topic -> true));
  }

  /**
   * Waits until no handler runs.
   *
   * @return whether that happened within {@code longest}
   */
  public boolean awaitIdle(Duration longest) {
    return handlers.awaitIdle(longest, () -> acks.pending() == 0);
  }

  /** Whether nothing waits, runs or is to be acked. */
  public boolean isIdle() {
    return inFlight.size() == 0 && handlers.busy() == 0 && acks.pending() == 0;
  }

  /**
   * {@code listener} learns of each claim that is given back since it cannot be read here, by the
   * topic that it lay under, on the thread that tried.
   */
  public void whenUnread(Consumer<Topic> listener) {
    unread = listener;
  }

  /**
   * Tells the handler of {@code key} that {@code by} wants it cancelled; what has not begun is
   * cancelled without. Again is as good as once.
   */
  public void cancel(ClaimKey key, String by) {
    Claim unstarted = inFlight.requestCancel(key, by);
    if (unstarted == null) {
      // Marked before: whoever begins only now finds the mark.
      running.requestCancel(key, by);
      return;
    }
    cancelUnstarted(unstarted, by);
  }

  private void cancelUnstarted(Claim claim, String by) {
    queue.remove(List.of(claim));
    pipeline.cancelUnstarted(claim, by);
    forget(List.of(claim));
  }

  /** Cancels what has not begun of these batches. */
  public void cancelMembers(Set<Long> batches) {
    inFlight
        .takeMembers(batches)
        .forEach(claim -> cancelUnstarted(claim, "the canceller of its batch"));
  }

  /** What running handlers have said of how far they are, since this was called last. */
  public List<ProgressReport> takeReports() {
    return running.takeReports();
  }

  /** How many handlings have ended, failed ones included. */
  public int handled() {
    return handled.get();
  }

  /** The claims that are being handled, {@code most} of them at most. */
  public List<Claim> running(int most) {
    return running.claims(most);
  }

  /** Interrupts every running handler because the worker stops. */
  public void stopRunning() {
    running.stop();
  }

  /** Lets idle threads end. */
  public void close() {
    queue.close();
    acks.close();
  }

  @Override
  public void settled(Claim claim, Outcome outcome) {
    observer.settled(claim, outcome);
    if (outcome.isHandled()) {
      handled.incrementAndGet();
    }
    capacity.settled(claim.topic(), outcome);
    if (outcome == Outcome.UNREADABLE) {
      unread.accept(claim.topic());
    }
    if (outcome == Outcome.ACKED || outcome == Outcome.CANCELLED) {
      spent.add(claim);
    }
    if (outcome == Outcome.HANDLED) {
      acks.add(claim);
    } else {
      leaves(claim);
    }
  }

  private void leaves(Claim claim) {
    inFlight.remove(claim);
    capacity.left(claim.topic());
    if (claim.suspect()) {
      claimer.raise();
    }
    wakeClaimer(claim.topic());
  }

  /** So much has started, or ended, that it should look for more. */
  private void wakeClaimer(Topic topic) {
    if (capacity.isLow(topic)) {
      claimer.raise();
    }
  }

  @Override
  public void begun(Handling handling) {
    observer.begun(handling);
    running.begun(handling);
  }

  @Override
  public void ended(Handling handling) {
    observer.ended(handling);
    running.ended(handling);
  }

  private void watch() {
    running.watch(this::takeOver);
    handlers.startMissing();
  }

  /** Settles first: the system may have no thread left that could take its place. */
  private void takeOver(Handling handling) {
    LOG.error(
        "the handler of {} ignores interrupts; its message is settled without it and its thread"
            + " abandoned ({} so far); only a restart ends it",
        handling.claim(),
        handlers.abandoned() + 1);
    handlers.abandon(handling.claim().topic());
    try {
      pipeline.settleAbandoned(handling, this);
    } finally {
      // Rolled back through no fault of their own: reconciliation releases them, uncounted.
      handling.companions().forEach(this::leaves);
    }
  }

  /** How many threads take claims. */
  public int threads() {
    return handlers.working();
  }

  /** How many threads are left to handlers that do not end. */
  public int abandoned() {
    return handlers.abandoned();
  }

  /** Whether so many are that only a restart brings back the threads that are missing. */
  public boolean isExhausted() {
    return handlers.exhausted();
  }

  /** Acks, and lets go of what was acked. */
  private final class GroupAcker implements GroupedAcks.Acker {
    private final Settler settler;

    GroupAcker(Settler settler) {
      this.settler = settler;
    }

    @Override
    public int ackAll(List<Claim> claims) {
      return settler.ackAll(claims);
    }

    @Override
    public void refused(Claim claim, Throwable refusal) {
      pipeline.settleUnacked(claim, refusal);
    }

    @Override
    public void ended(List<Claim> claims) {
      claims.forEach(spent::add);
      claims.forEach(Dispatcher.this::leaves);
      handlers.pollAgain();
    }
  }
}
