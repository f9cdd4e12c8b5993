package io.rowqueue.worker.internal.poll;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.claim.PollResult;
import io.rowqueue.internal.claim.ReleasedCandidates;
import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.order.Admission;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.RefusalStreak;
import io.rowqueue.worker.internal.Signal;
import io.rowqueue.worker.internal.WorkerObserver;
import io.rowqueue.worker.internal.WorkerThreads;
import io.rowqueue.worker.internal.WorkerTopics;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import io.rowqueue.worker.internal.maintain.OperatorPoller;
import io.rowqueue.worker.internal.maintain.PeerPoller;
import io.rowqueue.worker.internal.maintain.SchedulePoller;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The single thread that claims messages and promotes due ones. Between claims it reconciles the
 * worker's claims with the database and releases claims that wait too long for a thread.
 */
@Singleton
public final class Claimer {

  private static final Logger LOG = LoggerFactory.getLogger(Claimer.class);

  /** A claim that waits longer was a misprediction, and another worker may have an idle thread. */
  private static final Duration UNSTARTED_LONGEST = Duration.ofSeconds(1);

  private static final int PROMOTED_AT_ONCE = 500;

  private static final Duration FIRST_IDLE_WAIT = Duration.ofMillis(20);

  private static final Duration ADMIT_EVERY = Duration.ofMillis(10);

  private static final Duration PAUSE_AFTER_REFUSAL = Duration.ofSeconds(1);

  private static final Duration SLOTS_EVERY = Duration.ofMillis(200);

  private final WorkerConfig config;
  private final Transactions transactions;
  private final ClaimStrategy strategy;
  private final ClaimStore claims;
  private final ReleasedCandidates offers;
  private final Admission admission;
  private final Dispatcher dispatcher;
  private final LeaseState leaseState;
  private final WorkerThreads threads;
  private final Signal signal;
  private final Rotation rotation;
  private final Limits limits;
  private final ClaimBudget budget;
  private final PollSchedule pollSchedule;
  private final Listener listener;
  private final OperatorPoller operators;
  private final WorkerObserver observer;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean started;
  private volatile boolean stopping;
  private volatile Duration idleWait = FIRST_IDLE_WAIT;
  private volatile long turnedNanos = System.nanoTime();
  private volatile long succeededNanos = System.nanoTime();
  private final RefusalStreak refusals = new RefusalStreak(System::nanoTime);
  private long reconciledNanos = System.nanoTime();

  private long admittedNanos = System.nanoTime() - ADMIT_EVERY.toNanos();

  /** Whether a notification arrived during the last wait of an idle worker. */
  private boolean notified;

  /** When the database last refused all claims of a topic. */
  private final Map<Topic, Long> refusedNanos = new HashMap<>();

  /** The failure of each step that has not succeeded since, the first one first. */
  private final Map<String, RuntimeException> failures = new LinkedHashMap<>();

  /** Whether the last iteration polled; a worker without capacity ignores notifications. */
  private boolean polled;

  @Inject
  Claimer(Parts parts, WorkerConfig config, WorkerThreads threads, Signal signal) {
    this.config = config;
    this.transactions = parts.transactions;
    this.strategy = parts.strategy;
    this.claims = parts.claims;
    this.offers = parts.offers;
    this.admission = parts.admission;
    this.dispatcher = parts.dispatcher;
    this.leaseState = parts.leaseState;
    this.threads = threads;
    this.signal = signal;
    this.rotation =
        new Rotation(
            parts.topics.all(),
            topic -> parts.operators.weight(topic, config.claims().weight(topic)),
            parts.topics::binding);
    this.limits = parts.limits;
    this.budget =
        new ClaimBudget(parts.operators, new Rates(config.claims().rates()), parts.limits);
    this.pollSchedule =
        new PollSchedule(parts.claims, parts.offers, parts::aside, config.pollInterval());
    this.listener = parts.listener;
    this.operators = parts.operators;
    this.observer = parts.observer;
    // A claim that cannot be read has not started an attempt.
    dispatcher.whenUnread(budget::released);
  }

  /** Starts claiming. */
  public void start() {
    started = true;
    threads.start(
        "claimer",
        () -> {
          try {
            threads.repeat("claiming", () -> !stopping, this::pollOnce);
          } finally {
            ended.countDown();
          }
        });
  }

  /** Runs {@code work} as its loop, which claims by {@link #claimNow} until it is stopped. */
  void runHere(WorkerThreads.Iteration work) throws InterruptedException {
    started = true;
    try {
      work.run();
    } finally {
      ended.countDown();
    }
  }

  /** Returns whether it must claim no more. */
  boolean isStopping() {
    return stopping;
  }

  /** Returns the time to the next poll without a wake-up; grows with every idle poll. */
  public Duration idleWait() {
    return idleWait;
  }

  /**
   * Returns the time since the last iteration began; much longer than the longest wait if the
   * thread is stuck.
   */
  public Duration sinceIteration() {
    return Duration.ofNanos(System.nanoTime() - turnedNanos);
  }

  /** Returns the time since the last iteration whose statements all succeeded. */
  public Duration sinceSuccess() {
    return Duration.ofNanos(System.nanoTime() - succeededNanos);
  }

  /** Returns for how long the database has refused all claims. */
  public Duration refusedFor() {
    return refusals.length();
  }

  /** Returns whether it was started and its thread has ended. */
  public boolean hasEnded() {
    return ended.getCount() == 0;
  }

  /** Stops claiming; returns when no claim is in progress. */
  public void stop() throws InterruptedException {
    stopping = true;
    signal.raise();
    if (started) {
      ended.await();
      if (limits.hasSlots()) {
        // The stop goes on, whether or not a thread can be started.
        threads.guarded(
            "starting to maintain slots",
            () -> threads.loop("slots", SLOTS_EVERY, this::maintainSlots));
      }
    }
  }

  /** Running handlers keep their slots; the others are released for other workers. */
  private void maintainSlots() {
    LockId lockId = leaseState.holder();
    if (lockId != null) {
      threads.each("maintaining slots", rotation.topics(), topic -> limits.maintain(lockId, topic));
    }
  }

  /** Releases every slot, once no handler runs. */
  public void releaseSlots() {
    limits.releaseAll();
  }

  /**
   * Promotes, admits and claims once on the calling thread, for a worker without a claim loop. What
   * the database refuses stops nothing else, and is kept for {@link #finish}.
   *
   * @return the number of messages that this has moved
   */
  int claimNow() {
    LockId lockId = leaseState.holder();
    if (lockId == null) {
      return 0;
    }
    prepare(lockId);
    pollSchedule.pollAllNow();
    return step("promoting messages", this::promote)
        + step("admitting all messages", admission::admitNow)
        + claim(lockId);
  }

  /**
   * Releases what a settlement that was given up has left claimed, since no later turn does so.
   *
   * @throws RuntimeException what a step has last failed with, or why the database still refuses a
   *     row
   */
  void finish() {
    LockId lockId = leaseState.holder();
    if (lockId != null) {
      step("reconciling claims", () -> reconcile(lockId));
    }
    Stream.of(
            failures.values().stream(),
            claims.refusal().stream(),
            admission.refusal().stream(),
            strategy.refusal().stream())
        .flatMap(all -> all)
        .findFirst()
        .ifPresent(
            failure -> {
              throw failure;
            });
  }

  /**
   * Returns whether a temporary condition prevents claims: a lease in doubt, an exhausted rate
   * limit, or no free slot.
   */
  boolean isHeldBack() {
    return leaseState.holder() == null || rotation.topics().stream().anyMatch(budget::isHeldBack);
  }

  private void pollOnce() throws InterruptedException {
    turnedNanos = System.nanoTime();
    LockId lockId = leaseState.holder();
    if (lockId == null) {
      signal.await(FIRST_IDLE_WAIT);
      return;
    }
    int claimed = 0;
    boolean failed = true;
    try {
      prepare(lockId);
      claimed = transactions.onOneConnection(() -> claim(lockId));
      failed = false;
      succeededNanos = System.nanoTime();
    } finally {
      rest(claimed, failed);
    }
  }

  /** What precedes every claim. */
  private void prepare(LockId lockId) {
    if (System.nanoTime() - reconciledNanos >= config.leaseRenewInterval().toNanos()) {
      step("reconciling claims", () -> reconcile(lockId));
      each("reconciling slots", List.of(lockId), limits::reconcile);
      reconciledNanos = System.nanoTime();
    }
    each("maintaining slots", rotation.topics(), topic -> limits.maintain(lockId, topic));
    each(
        "releasing unstarted claims",
        List.of(dispatcher.takeWaiting(UNSTARTED_LONGEST, operators::isPaused)),
        this::release);
  }

  private void rest(int claimed, boolean failed) throws InterruptedException {
    notified = false;
    if (claimed > 0) {
      idleWait = FIRST_IDLE_WAIT;
    } else {
      if (polled && dispatcher.hasSpareThread()) {
        listener.arm();
      }
      Duration untilPoll = polled ? pollSchedule.wait(idleWait) : idleWait;
      Duration longest = failed ? config.pollInterval() : untilPoll;
      boolean called = signal.await(admission.wait(budget.wait(longest)));
      notified = called && polled;
      Duration longer = idleWait.multipliedBy(2);
      idleWait = longer.compareTo(config.pollInterval()) < 0 ? longer : config.pollInterval();
    }
  }

  private int claim(LockId lockId) {
    int capacity = dispatcher.capacity();
    polled = capacity > 0;
    if (!polled) {
      return 0;
    }
    int admitted = step("admitting messages", this::admit);
    List<Topic> open = rotation.topics().stream().filter(this::isOpen).toList();
    PollResult poll = pollSchedule.poll(open, notified);
    int claimed = claim(lockId, poll, capacity);
    int promoted = poll.due() ? step("promoting messages", this::promote) : 0;
    return admitted + claimed + promoted;
  }

  /**
   * While messages complete, iterations follow each other quickly, so a notification need not be
   * remembered.
   */
  private int admit() {
    long now = System.nanoTime();
    if (!notified && now - admittedNanos < ADMIT_EVERY.toNanos()) {
      return 0;
    }
    admittedNanos = now;
    int admitted = admission.admit();
    if (admitted > 0) {
      admittedNanos = now - ADMIT_EVERY.toNanos();
    }
    return admitted;
  }

  /** Returns how many messages of {@code topic} may be claimed now. */
  public int capacityFor(Topic topic) {
    return stopping ? 0 : Math.min(dispatcher.capacity(), budget.capacity(topic));
  }

  private int claim(LockId lockId, PollResult poll, int capacity) {
    List<Topic> topics = rotation.begin(poll.available(), capacity);
    int left = capacity;
    for (int i = 0; i < topics.size() && left > 0; i++) {
      int share = rotation.share(topics.subList(i, topics.size()), left);
      int taken = guarded(lockId, poll, topics.get(i), share);
      rotation.took(topics.get(i), taken);
      left -= taken;
    }
    return capacity - left;
  }

  private boolean isOpen(Topic topic) {
    Long refused = refusedNanos.get(topic);
    boolean pauses = refused != null && System.nanoTime() - refused < PAUSE_AFTER_REFUSAL.toNanos();
    return !pauses && budget.capacity(topic) > 0;
  }

  private int guarded(LockId lockId, PollResult poll, Topic topic, int share) {
    int taken = tried("claiming '" + topic + "'", () -> claim(lockId, poll, topic, share));
    if (taken < 0) {
      refusals.refused();
      refusedNanos.put(topic, System.nanoTime());
    } else if (taken > 0) {
      refusals.succeeded();
      refusedNanos.remove(topic);
    }
    return Math.max(0, taken);
  }

  /** Like {@link WorkerThreads#step}, but returns 0 after a failure. */
  int step(String name, IntSupplier work) {
    return Math.max(0, tried(name, work));
  }

  private <T> void each(String name, Iterable<T> all, Consumer<T> work) {
    step(
        name,
        () -> {
          IndependentParts.each(all, work);
          return 0;
        });
  }

  private int tried(String name, IntSupplier work) {
    return threads.step(
        name,
        () -> {
          try {
            int result = work.getAsInt();
            failures.remove(name);
            return result;
          } catch (RuntimeException | Error e) {
            failures.put(
                name, e instanceof RuntimeException known ? known : new RuntimeException(e));
            throw e;
          }
        });
  }

  private int claim(LockId lockId, PollResult poll, Topic topic, int share) {
    int limit = budget.admit(topic, lockId, share);
    if (limit == 0) {
      return 0;
    }
    int alone = dispatcher.hasAlone() ? 0 : 1;
    ClaimRequest request = new ClaimRequest(topic, lockId, limit, alone, config.aloneFrom());
    long requested = System.nanoTime();
    List<Claim> taken = take(request, poll);
    observer.claimed(topic, taken, Duration.ofNanos(System.nanoTime() - requested));
    List<Claim> early = taken.stream().filter(Claim::dueLater).toList();
    dispatcher.dispatch(taken.stream().filter(claim -> !claim.dueLater()).toList());
    if (!early.isEmpty()) {
      step("releasing early claims", () -> claims.release(early));
    }
    int claimed = taken.size() - early.size();
    budget.claimed(topic, claimed);
    return claimed;
  }

  private List<Claim> take(ClaimRequest request, PollResult poll) {
    if (poll.offered().contains(request.topic())) {
      return takeOffers(request);
    }
    List<Claim> taken = strategy.claim(request.after(poll));
    pollSchedule.claimed(request.topic(), taken.size() == request.limit());
    return taken;
  }

  /** Other workers may have claimed all of these; try the next hints before giving up. */
  private List<Claim> takeOffers(ClaimRequest request) {
    List<Claim> taken = List.of();
    while (taken.isEmpty() && offers.has(request.topic())) {
      taken = strategy.claim(request.among(offers.take(request.topic(), request.limit())));
    }
    return taken;
  }

  /** Any worker promotes messages of all topics, including those that it does not claim. */
  private int promote() {
    int promoted = claims.promote(PROMOTED_AT_ONCE);
    if (promoted > 0) {
      admission.promoted();
      admittedNanos = System.nanoTime() - ADMIT_EVERY.toNanos();
    }
    if (promoted == PROMOTED_AT_ONCE) {
      pollSchedule.pollAgain();
    }
    return promoted;
  }

  private void release(List<Claim> unstarted) {
    if (unstarted.isEmpty()) {
      return;
    }
    try {
      int rows = claims.release(unstarted);
      LOG.debug(
          "{} released",
          Humanize.count(
              rows,
              "claim that could not start soon was",
              "claims that could not start soon were"));
    } finally {
      // If this failed, reconciliation finds them in the database but not in the table.
      dispatcher.forget(unstarted);
      unstarted.stream().map(Claim::topic).forEach(budget::released);
    }
  }

  private int reconcile(LockId lockId) {
    int released = claims.reconcile(lockId, dispatcher.known());
    if (released > 0) {
      LOG.warn(
          "{} claimed in the database without being in flight here, and released",
          Humanize.count(released, "message was", "messages were"));
    }
    return released;
  }

  /** The claimer's dependencies. */
  @Singleton
  static final class Parts {
    private final Transactions transactions;
    private final ClaimStrategy strategy;
    private final ClaimStore claims;
    private final ReleasedCandidates offers;
    private final Admission admission;
    private final Dispatcher dispatcher;
    private final LeaseState leaseState;
    private final WorkerTopics topics;
    private final PeerPoller peers;
    private final OperatorPoller operators;
    private final SchedulePoller schedules;
    private final Listener listener;
    private final Limits limits;
    private final WorkerObserver observer;

    @Inject
    Parts(
        Transactions transactions,
        ClaimStrategy strategy,
        ClaimStore claims,
        ReleasedCandidates offers,
        Admission admission,
        Dispatcher dispatcher,
        LeaseState leaseState,
        WorkerTopics topics,
        PeerPoller peers,
        OperatorPoller operators,
        SchedulePoller schedules,
        Listener listener,
        Limits limits,
        WorkerObserver observer) {
      this.transactions = transactions;
      this.strategy = strategy;
      this.claims = claims;
      this.offers = offers;
      this.admission = admission;
      this.dispatcher = dispatcher;
      this.leaseState = leaseState;
      this.topics = topics;
      this.peers = peers;
      this.operators = operators;
      this.schedules = schedules;
      this.listener = listener;
      this.limits = limits;
      this.observer = observer;
    }

    /** Additional queries for the polls of an idle claimer. */
    private List<PiggybackQuery> aside() {
      List<PiggybackQuery> all = new ArrayList<>(admission.questions());
      all.addAll(List.of(peers.question(), operators.question(), schedules.question()));
      return all;
    }
  }
}
