package io.rowqueue.testkit;

import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.TypeLiteral;
import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.handle.HandlerPipeline;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.internal.order.Admission;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.internal.reap.WorkerRegistry;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerAddress;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerRegistration;
import io.rowqueue.internal.schedule.ScheduleTrigger;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.Schedules;
import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.Subscriptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs a worker's loops iteration by iteration on the calling thread, with the components of any
 * injector. Confined to one thread.
 */
final class Turns {

  /** The lease of a dead worker, by the queue's clock. */
  static final Duration LEASE = Duration.ofSeconds(15);

  private static final Key<Map<String, Schedule>> SCHEDULES = Key.get(new TypeLiteral<>() {});
  private static final Key<Set<Subscription>> SUBSCRIPTIONS = Key.get(new TypeLiteral<>() {});

  private static final int MOST_LOST = 3;
  private static final int MANY = 1_000;

  /** More attempts indicate an endless loop. */
  private static final int MOST_HANDLED = 10_000;

  private final String name;
  private final Injector parts;
  private final TestConnections connections;
  private final Faults faults;
  private final Surroundings settings;
  private @Nullable LockId holder;
  private @Nullable LockId dead;
  private int lives;
  private boolean begun;

  /** Uses the queue {@code name} with the components of {@code parts}. */
  Turns(
      String name,
      Injector parts,
      TestConnections connections,
      Faults faults,
      Surroundings settings) {
    this.name = name;
    this.parts = parts;
    this.connections = connections;
    this.faults = faults;
    this.settings = settings;
  }

  /**
   * The differences between queues.
   *
   * @param redelivery inserts a claim's message again, later
   * @param house additional work before each iteration
   * @param heeding applies operators' pauses and limits
   */
  record Surroundings(Function<Claim, Runnable> redelivery, Runnable house, Heeding heeding) {}

  private <T> T get(Class<T> type) {
    return parts.getInstance(type);
  }

  /** Reaps the claims of a crashed worker. */
  void reap() {
    LockId gone = dead;
    if (gone != null) {
      get(WorkerRegistry.class).deregister(gone);
      get(Reaper.class).reap(MANY, MOST_LOST);
      dead = null;
    }
  }

  /** Iterates until nothing is due, or until a crash. */
  List<HandledMessage> drain() {
    List<HandledMessage> all = new ArrayList<>();
    List<HandledMessage> some = turn(MANY);
    while (!some.isEmpty()) {
      all.addAll(some);
      if (hasCrashed(some)) {
        return all;
      }
      if (all.size() > MOST_HANDLED) {
        throw new AssertionError(
            "%d messages were processed without reaching an end; the last was %s"
                .formatted(all.size(), all.get(all.size() - 1)));
      }
      some = turn(MANY);
    }
    return all;
  }

  static boolean hasCrashed(List<HandledMessage> handled) {
    return handled.stream().anyMatch(each -> each.outcome() == null);
  }

  List<HandledMessage> turn(int most) {
    LockId me = live();
    maintain();
    List<HandledMessage> handled = new ArrayList<>();
    for (Topic topic : get(HandlerRegistry.class).topics()) {
      while (handled.size() < most) {
        List<HandledMessage> some = handleNext(topic, me);
        handled.addAll(some);
        if (hasCrashed(some)) {
          return handled;
        }
        if (some.isEmpty()) {
          break;
        }
      }
    }
    return handled;
  }

  /** Runs a worker's other loops once. */
  private void maintain() {
    int triggered = get(ScheduleTrigger.class).triggerDue();
    while (triggered > 0) {
      triggered = get(ScheduleTrigger.class).triggerDue();
    }
    Reaper reaper = get(Reaper.class);
    if (reaper.hasSomeoneGone(Duration.ZERO) || reaper.hasOrphans()) {
      reaper.declareDead();
      reaper.reap(MANY, MOST_LOST);
      reaper.removeDead();
    }
    settings.house().run();
    int moved = 1;
    while (moved > 0) {
      moved = get(ClaimStore.class).promote(MANY) + get(Admission.class).admitNow();
    }
  }

  /** Inserts its row, with a new lease. */
  private LockId live() {
    WorkerRegistry registry = get(WorkerRegistry.class);
    LockId known = holder;
    if (known != null && registry.renew(known, LEASE, WorkerAddress.NONE, null)) {
      return known;
    }
    begin();
    LockId born = new LockId("test-worker-" + ++lives + "-" + name);
    Set<Topic> topics = get(HandlerRegistry.class).topics();
    registry.register(
        new WorkerRegistration(born, "test", lives, "test", topics, WorkerAddress.NONE), LEASE);
    holder = born;
    return born;
  }

  /** The startup of a worker; runs once. */
  void begin() {
    if (begun) {
      return;
    }
    begun = true;
    parts.getInstance(SCHEDULES).values().forEach(get(Schedules.class)::declare);
    get(Subscriptions.class).declare(parts.getInstance(SUBSCRIPTIONS));
    get(HandlerRegistry.class).makeHandlers();
  }

  private List<HandledMessage> handleNext(Topic topic, LockId me) {
    int most = get(HandlerRegistry.class).policy(topic).grouping().most();
    int admitted = settings.heeding().admit(topic, me, most);
    if (admitted == 0) {
      return List.of();
    }
    List<Claim> claims = claim(topic, me, admitted);
    List<HandledMessage> handled = claims.isEmpty() ? List.of() : handle(claims);
    if (!hasCrashed(handled)) {
      settings.heeding().handled(topic, me);
    }
    return handled;
  }

  private List<Claim> claim(Topic topic, LockId me, int most) {
    List<Claim> claims = new ArrayList<>();
    for (Claim claim : get(ClaimStrategy.class).claim(new ClaimRequest(topic, me, most, 1))) {
      if (claim.dueLater()) {
        get(ClaimStore.class).release(List.of(claim));
      } else {
        claims.add(claim);
      }
    }
    return claims;
  }

  private List<HandledMessage> handle(List<Claim> claims) {
    Handover watch = new Handover(claims);
    Optional<Runnable> again =
        faults.take(Fault.DELIVERED_TWICE)
            ? Optional.of(settings.redelivery().apply(claims.get(0)))
            : Optional.empty();
    faults.begins(claims);
    try {
      Iterator<Claim> next = claims.iterator();
      while (next.hasNext()) {
        get(HandlerPipeline.class)
            .handle(next.next(), () -> next.hasNext() ? next.next() : null, watch);
      }
      watch.handledWithoutTransaction().forEach(claim -> acknowledge(claim, watch));
    } catch (Crash e) {
      // Its claims stay valid until its lease expires.
      dead = holder;
      holder = null;
    } finally {
      connections.comeBack();
    }
    again.ifPresent(Runnable::run);
    return watch.ended();
  }

  private void acknowledge(Claim claim, Handover watch) {
    int acked = get(Settler.class).ackAll(List.of(claim));
    watch.settled(claim, acked == 1 ? Outcome.ACKED : Outcome.LOST);
  }
}
