package io.rowqueue.worker.internal.dispatch;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import com.google.inject.name.Named;
import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.body.BodySweep;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.handle.HandlerPipeline;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.internal.handle.Handling;
import io.rowqueue.internal.handle.HandlingListener;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.internal.progress.ProgressStore.ProgressReport;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.RefusalStreak;
import io.rowqueue.worker.internal.Signal;
import io.rowqueue.worker.internal.WorkerObserver;
import io.rowqueue.worker.internal.WorkerThreads;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Dispatches claims to handler threads and tracks each until it ends. Thread-safe. */
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
  private final RefusalStreak settlements = new RefusalStreak(System::nanoTime);
  private volatile Consumer<Topic> unread = topic -> {};

  @Inject
  Dispatcher(
      WorkerConfig config,
      HandlerPipeline pipeline,
      HandlerRegistry registry,
      Settler settler,
      ServerSideCut cutter,
      WorkerThreads threads,
      @Named(WorkerThreads.HANDLERS) ThreadFactory factory,
      Signal claimer,
      LeaseState leaseState,
      BodySweep bodies,
      TopicSettingsCache settings,
      WorkerObserver observer) {
    this.pipeline = pipeline;
    this.threads = threads;
    this.claimer = claimer;
    this.observer = observer;
    this.inFlight = new InFlight(config.aloneFrom());
    this.limits = new ThreadLimits(config, registry);
    this.queue =
        new DispatchQueue(
            topic -> Math.min(limits.maxThreads(topic), pipeline.threadLimit(topic)),
            limits::mayRun,
            topic -> settings.weight(topic, config.claims().weight(topic)),
            registry::binding);
    this.handlers =
        new HandlerThreads(
            config.threads(),
            limits::maxThreads,
            threads,
            factory,
            queue,
            inFlight,
            leaseState,
            pipeline,
            this,
            this::wakeClaimer);
    this.capacity = new FreeCapacity(config, registry, limits, inFlight, queue, handlers);
    this.running = new Running(inFlight, cutter);
    this.spent = new AckedBodies(bodies, threads);
    this.acks = new GroupedAcks(new GroupAcker(settler), threads);
  }

  /** Starts the handler threads and the timeout watch. */
  public void start() {
    handlers.startMissing();
    threads.loop("watch", Duration.ofMillis(100), this::watch);
    threads.start("acks", () -> acks.ackUntil(threads::isStopped));
  }

  /** Accepts claims; each is processed or released. */
  public void dispatch(List<Claim> claims) {
    for (Claim claim : claims) {
      inFlight.add(claim);
      queue.add(claim);
    }
  }

  /**
   * Returns how many more claims the handler threads can use soon, within the memory limit. Claims
   * that wait for their own topic's threads do not reduce it for other topics.
   */
  public int capacity() {
    return capacity.ofAll();
  }

  /**
   * Returns how many more claims of {@code topic} its threads can use soon; its aliases share the
   * threads.
   */
  public int capacity(Topic topic) {
    return capacity.of(topic);
  }

  /**
   * Returns the capacity of {@code topic} if at most {@code handlings} attempts of exactly this
   * name may run at once.
   */
  public int capacity(Topic name, int handlings) {
    return capacity.of(name, handlings);
  }

  /** Returns the number of running attempts that started under exactly this name. */
  public int running(Topic name) {
    return queue.runningUnder(name);
  }

  /** Returns the number of waiting claims of exactly this name. */
  public int waiting(Topic name) {
    return queue.waitingUnder(name);
  }

  /** Starts no attempt under exactly this name while {@code handlings} or more are running. */
  public void allow(Topic name, int handlings) {
    if (limits.allow(name, handlings)) {
      queue.reconsider();
    }
  }

  /** Removes the limit of this name. */
  public void allowAll(Topic name) {
    capacity.unlimited(name);
    if (limits.allowAll(name)) {
      queue.reconsider();
    }
  }

  /** Returns the number of unsettled claims. */
  public int held() {
    return inFlight.size();
  }

  /** Returns how many of them wait for a thread. */
  public int waiting() {
    return inFlight.waiting();
  }

  /** Returns the number of threads that run a handler. */
  public int busy() {
    return handlers.busy();
  }

  /** Returns whether a thread is idle and no claim waits for it. */
  public boolean hasSpareThread() {
    return capacity.idleThreads() > queue.runnable();
  }

  /** Returns the number of threads that {@code topic} may use. */
  public int maxThreads(Topic topic) {
    return limits.maxThreads(topic);
  }

  /** Returns whether the claims include a message that must be processed alone. */
  public boolean hasAlone() {
    return inFlight.alone() > 0;
  }

  /** Returns the keys of all unsettled claims. */
  public Set<ClaimKey> known() {
    return inFlight.keys();
  }

  /** Takes back the claims that have waited at least {@code longest} for a thread. */
  public List<Claim> takeWaiting(Duration longest) {
    return takeWaiting(longest, topic -> false);
  }

  /** Takes back those, and all waiting claims of {@code paused} topics. */
  public List<Claim> takeWaiting(Duration longest, Predicate<Topic> paused) {
    List<Claim> taken = inFlight.takeWaiting(longest, paused);
    if (!taken.isEmpty()) {
      queue.remove(taken);
    }
    return taken;
  }

  /** Called when the claims taken by {@link #takeWaiting} are released. */
  public void forget(List<Claim> claims) {
    inFlight.removeAll(claims);
  }

  /** Discards every claim that has not started, since this worker has lost them. */
  public void giveUpWaiting() {
    queue.clear();
    forget(inFlight.takeWaiting(Duration.ZERO, topic -> true));
  }

  /** Returns the claim whose handler calls this; null if none does. */
  public @Nullable Claim caller() {
    return running.caller();
  }

  /** Returns the number of threads that run a handler, without the calling one. */
  public int others() {
    return handlers.busy() - (caller() == null ? 0 : 1);
  }

  /**
   * Waits until no handler runs, except one that calls this, which would wait for itself.
   *
   * @return whether that happened within {@code longest}
   */
  public boolean awaitIdle(Duration longest) {
    return handlers.awaitIdle(longest, () -> others() <= 0 && acks.pending() == 0);
  }

  /** Returns whether no claim waits, runs or is to be acked. */
  public boolean isIdle() {
    return inFlight.size() == 0 && handlers.busy() == 0 && acks.pending() == 0;
  }

  /**
   * Calls {@code listener} for each claim that is released because this worker cannot read it, with
   * the claim's topic, on the thread that tried.
   */
  public void whenUnread(Consumer<Topic> listener) {
    unread = listener;
  }

  /**
   * Sends a cancellation request by {@code by} to the handler of {@code key}; a claim that has not
   * started is cancelled at once. Idempotent.
   */
  public void cancel(ClaimKey key, String by) {
    Claim unstarted = inFlight.requestCancel(key, by);
    if (unstarted == null) {
      // Marked first, so that an attempt that starts now finds the mark.
      running.requestCancel(key, by);
      return;
    }
    cancelUnstarted(unstarted, by);
  }

  private void cancelUnstarted(Claim claim, String by) {
    try {
      queue.remove(List.of(claim));
      pipeline.cancelUnstarted(claim, by);
    } finally {
      forget(List.of(claim));
    }
  }

  /** Cancels the claims of these batches that have not started. */
  public void cancelMembers(Set<Long> batches) {
    List<Claim> taken = inFlight.takeMembers(batches);
    try {
      taken.forEach(claim -> cancelUnstarted(claim, "the canceller of its batch"));
    } finally {
      forget(taken);
    }
  }

  /** Returns the progress that running handlers reported since the last call. */
  public List<ProgressReport> takeReports() {
    return running.takeReports();
  }

  /** Returns the number of finished attempts, including failed ones. */
  public int handled() {
    return handled.get();
  }

  /** Returns at most {@code most} of the claims being processed. */
  public List<Claim> running(int most) {
    return running.claims(most);
  }

  /** Interrupts every running handler because the worker stops. */
  public void stopRunning() {
    running.stop();
  }

  /** Ends idle threads. */
  public void close() {
    queue.close();
    acks.close();
  }

  /** A claim that stayed in flight would never be released by reconciliation. */
  @Override
  public void settled(Claim claim, Outcome outcome) {
    try {
      observed(claim, outcome);
    } finally {
      if (outcome == Outcome.HANDLED) {
        acks.add(claim);
      } else {
        remove(claim);
      }
    }
  }

  private void observed(Claim claim, Outcome outcome) {
    observer.settled(claim, outcome);
    if (outcome.isHandled()) {
      handled.incrementAndGet();
    }
    if (outcome != Outcome.HANDLED) {
      ended(claim.topic(), outcome);
    }
    if (outcome == Outcome.UNREADABLE) {
      unread.accept(claim.topic());
    }
    if (outcome == Outcome.ACKED || outcome == Outcome.CANCELLED) {
      spent.add(claim);
    }
  }

  private void ended(Topic topic, Outcome outcome) {
    capacity.settled(topic, outcome);
    if (FreeCapacity.isRefusal(outcome)) {
      settlements.refused();
    } else if (outcome.isHandled()) {
      settlements.succeeded();
    }
  }

  /** Returns for how long no claim was settled, and the database refused all that had to be. */
  public Duration refusedFor() {
    return settlements.length();
  }

  private void remove(Claim claim) {
    inFlight.remove(claim);
    capacity.left(claim.topic());
    if (claim.suspect()) {
      claimer.raise();
    }
  }

  /** Wakes the claimer if enough claims have started or ended. */
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
    // A handler that has become slow no longer limits its topic's threads.
    if (queue.runnable() > 0) {
      queue.reconsider();
    }
    handlers.startMissing();
  }

  /** Settles first: the system may be unable to start a replacement thread. */
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
      // Claims that could not be settled, and those rolled back by a neighbour's failure:
      // reconciliation releases them without counting an attempt.
      forget(handling.claims());
      handling.companions().forEach(this::remove);
      wakeClaimer(handling.claim().topic());
    }
  }

  /** Returns the number of threads that take claims. */
  public int threads() {
    return handlers.working();
  }

  /** Returns the number of threads abandoned to handlers that do not end. */
  public int abandoned() {
    return handlers.abandoned();
  }

  /** Returns whether so many threads are abandoned that only a restart helps. */
  public boolean isExhausted() {
    return handlers.exhausted();
  }

  /** Acks in groups, and forgets the acked claims. */
  private final class GroupAcker implements GroupedAcks.Acker {
    private final Settler settler;

    GroupAcker(Settler settler) {
      this.settler = settler;
    }

    @Override
    public int ackAll(List<Claim> claims) {
      int acked = settler.ackAll(claims);
      claims.forEach(claim -> Dispatcher.this.ended(claim.topic(), Outcome.ACKED));
      return acked;
    }

    @Override
    public void refused(Claim claim, Throwable refusal) {
      pipeline.settleUnacked(claim, refusal);
      Dispatcher.this.ended(claim.topic(), Outcome.UNHANDLED);
    }

    @Override
    public void ended(List<Claim> claims) {
      claims.forEach(Dispatcher.this::remove);
      claims.forEach(claim -> wakeClaimer(claim.topic()));
      handlers.pollAgain();
      claims.forEach(spent::add);
    }
  }
}
