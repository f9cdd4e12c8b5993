package io.rowqueue.worker.internal.admin;

import com.google.inject.Inject;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import io.rowqueue.QueueException;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerHealth;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import io.rowqueue.worker.internal.poll.Claimer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Liveness and readiness of this worker. Thread-safe. */
@Singleton
public final class Health {

  private enum Life {
    STARTING,
    RUNNING,
    DRAINING
  }

  /** The maximum duration of an iteration; a slow server stays well below it. */
  private static final Duration LONGEST_TURN = Duration.ofSeconds(30);

  /** Much longer than an iteration during a database outage: only a hung process is restarted. */
  private static final Duration STUCK = Duration.ofMinutes(5);

  /** How long everything may be refused; a repair or a fail-over takes less. */
  private static final Duration LONGEST_REFUSED = Duration.ofSeconds(30);

  /** How long a database reading is reused, however often it is requested. */
  private static final Duration BELIEVED = Duration.ofSeconds(1);

  private final WorkerConfig config;
  private final Provider<Claimer> claimer;
  private final Provider<Dispatcher> dispatcher;
  private final Provider<QueueSchema> schema;
  private final LeaseState leaseState;
  private volatile Life life = Life.STARTING;
  private @Nullable String databaseTrouble;
  private long requestedNanos = System.nanoTime() - BELIEVED.toNanos();

  @Inject
  Health(
      WorkerConfig config,
      Provider<Claimer> claimer,
      Provider<Dispatcher> dispatcher,
      Provider<QueueSchema> schema,
      LeaseState leaseState) {
    this.config = config;
    this.claimer = claimer;
    this.dispatcher = dispatcher;
    this.schema = schema;
    this.leaseState = leaseState;
  }

  /** Called when the worker claims, and its other services run. */
  public void running() {
    life = Life.RUNNING;
  }

  /** Called when the worker stops claiming. */
  public void draining() {
    life = Life.DRAINING;
  }

  /** Returns the whole state. */
  public WorkerHealth read() {
    boolean started = life != Life.STARTING;
    return new WorkerHealth(
        whyNotLive(),
        whyNotReady(),
        started ? dispatcher.get().threads() : 0,
        started ? dispatcher.get().busy() : 0);
  }

  /**
   * Returns why the process should be restarted; null if it should not. A database outage is no
   * reason: a new process would have the same problem.
   */
  public @Nullable String whyNotLive() {
    if (life != Life.RUNNING) {
      return null;
    }
    if (claimer.get().hasEnded()) {
      return "the claim loop has ended";
    }
    String stuck = whyStuck(claimer.get().sinceIteration(), STUCK);
    if (stuck != null) {
      return stuck;
    }
    return dispatcher.get().isExhausted()
        ? "%d handler threads were abandoned to handlers that ignore interrupts"
            .formatted(dispatcher.get().abandoned())
        : null;
  }

  /** Returns why it cannot take messages now; null if it can. */
  @Nullable String whyNotReady() {
    return switch (life) {
      case STARTING -> "starting";
      case DRAINING -> "draining";
      case RUNNING -> whyNotClaiming();
    };
  }

  private @Nullable String whyNotClaiming() {
    if (claimer.get().hasEnded()) {
      return "the claim loop has ended";
    }
    String trouble = databaseTrouble();
    if (trouble != null) {
      return trouble;
    }
    if (leaseState.holder() == null) {
      return "its lease is in doubt";
    }
    if (dispatcher.get().isExhausted()) {
      return whyNotLive();
    }
    String stuck = whyStuck(claimer.get().sinceIteration(), LONGEST_TURN);
    if (stuck != null) {
      return stuck;
    }
    Duration success = claimer.get().sinceSuccess();
    if (success.compareTo(config.pollInterval().plus(LONGEST_TURN)) > 0) {
      return "no claim has succeeded for %d s; see the log".formatted(success.toSeconds());
    }
    String claims = whyRefused("claim", claimer.get().refusedFor());
    return claims == null ? whyRefused("settlement", dispatcher.get().refusedFor()) : claims;
  }

  private @Nullable String whyStuck(Duration sinceIteration, Duration longest) {
    return sinceIteration.compareTo(config.pollInterval().plus(longest)) > 0
        ? "the claim loop has not run for %d s".formatted(sinceIteration.toSeconds())
        : null;
  }

  private static @Nullable String whyRefused(String what, Duration refused) {
    return refused.compareTo(LONGEST_REFUSED) > 0
        ? "the database has refused every %s for %d s; see the log"
            .formatted(what, refused.toSeconds())
        : null;
  }

  private synchronized @Nullable String databaseTrouble() {
    long now = System.nanoTime();
    if (now - requestedNanos >= BELIEVED.toNanos()) {
      try {
        schema.get().check();
        databaseTrouble = null;
      } catch (QueueException e) {
        databaseTrouble = String.valueOf(e.getMessage());
      }
      requestedNanos = System.nanoTime();
    }
    return databaseTrouble;
  }
}
