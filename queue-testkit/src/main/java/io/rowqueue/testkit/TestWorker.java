package io.rowqueue.testkit;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.TypeLiteral;
import com.google.inject.util.Modules;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.LockId;
import io.rowqueue.handle.HandlerPipeline;
import io.rowqueue.handle.HandlerRegistry;
import io.rowqueue.handle.Outcome;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.order.Admission;
import io.rowqueue.reap.Reaper;
import io.rowqueue.reap.WorkerAddress;
import io.rowqueue.reap.WorkerLife;
import io.rowqueue.reap.WorkerRegistry;
import io.rowqueue.schedule.Firing;
import io.rowqueue.schedule.Schedule;
import io.rowqueue.schedule.Schedules;
import io.rowqueue.settle.Settler;
import io.rowqueue.subscribe.Subscription;
import io.rowqueue.subscribe.Subscriptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A worker without threads: it claims, handles and settles on the test's own thread, when it is
 * told to, and is the same at every run. Its handlers are those of the team's modules; claims,
 * transactions and settlements are the real ones, on the real database. From its making on the
 * database's clock stands still and moves by {@link #advance} only: due times, backoffs, schedules
 * and leases heed it. Confined to one thread.
 *
 * <pre>{@code
 * queue.enqueue("order.placed", order);
 * worker.drain();
 * assertThat(queue).hasEnqueued("email.send").once();
 * worker.advance(Duration.ofHours(1));
 * worker.drain();
 * }</pre>
 *
 * <p>It heeds neither limits nor pauses of topics, and rings nobody.
 */
public final class TestWorker implements AutoCloseable {

  /** How long a dead worker's messages stay its own, by the database's clock. */
  public static final Duration LEASE = Duration.ofSeconds(15);

  private static final Key<Map<String, Schedule>> SCHEDULES = Key.get(new TypeLiteral<>() {});
  private static final Key<Set<Subscription>> SUBSCRIPTIONS = Key.get(new TypeLiteral<>() {});

  private static final int MOST_LOST = 3;
  private static final int MANY = 1_000;

  /** Who handles more is in a circle. */
  private static final int MOST_HANDLED = 10_000;

  private final QueueDatabase database;
  private final List<Module> team;
  private final List<Module> instead;
  private final TestConnections connections;
  private final Faults faults;
  private final Injector parts;
  private @Nullable LockId holder;
  private @Nullable LockId dead;
  private int lives;

  private TestWorker(QueueDatabase database, List<Module> team, List<Module> instead) {
    this.database = database;
    this.team = team;
    this.instead = instead;
    this.connections = new TestConnections(database);
    this.faults = new Faults(connections, this::takeAway);
    database.stopClock();
    Module core = new TestWorkerModule(connections, faults);
    List<Module> all = new ArrayList<>(List.of(core));
    all.addAll(team);
    this.parts = Guice.createInjector(Modules.override(all).with(instead));
  }

  /** One with the handlers of {@code modules}, on the queue of {@code database}. */
  public static TestWorker of(QueueDatabase database, Module... modules) {
    return new TestWorker(database, List.of(modules), List.of());
  }

  /** Another one, with {@code fake} wherever the modules would give a {@code type}. */
  public <T> TestWorker with(Class<T> type, T fake) {
    return with(Key.get(type), fake);
  }

  /** Another one, with {@code fake} wherever the modules would give what {@code key} names. */
  public <T> TestWorker with(Key<T> key, T fake) {
    List<Module> more = new ArrayList<>(instead);
    more.add(binder -> binder.bind(key).toInstance(fake));
    close();
    return new TestWorker(database, team, more);
  }

  /** What its modules bind, or one of RowQueue's own rooms. */
  public <T> T get(Class<T> type) {
    return parts.getInstance(type);
  }

  /** Moves the database's clock on; nothing is handled by that. */
  public void advance(Duration by) {
    database.advance(by);
  }

  /**
   * Frees what it had in hand when it crashed, without waiting for its lease: peers see a dead
   * process by its connection.
   */
  public void reap() {
    LockId gone = dead;
    if (gone != null) {
      get(WorkerRegistry.class).deregister(gone);
      get(Reaper.class).reap(MANY, MOST_LOST);
      dead = null;
    }
  }

  /** The next handling that comes as far meets {@code fault}. */
  public void failNext(Fault fault) {
    faults.arm(fault);
  }

  /**
   * Handles what is due, and what that enqueues, until nothing is left that is due by the
   * database's clock; or until it crashes.
   *
   * @return what it handled, in order
   * @throws AssertionError if there is no end to it
   */
  public List<HandledMessage> drain() {
    List<HandledMessage> all = new ArrayList<>();
    List<HandledMessage> some = turn(MANY);
    while (!some.isEmpty()) {
      all.addAll(some);
      if (hasCrashed(some)) {
        return all;
      }
      if (all.size() > MOST_HANDLED) {
        throw new AssertionError(
            "%d messages were handled, and there are always more; the last was %s"
                .formatted(all.size(), all.get(all.size() - 1)));
      }
      some = turn(MANY);
    }
    return all;
  }

  /**
   * Handles the next message that is due, or the next batch where its binding has batches.
   *
   * @return what it handled; empty if nothing is due
   */
  public List<HandledMessage> runOnce() {
    return turn(1);
  }

  /**
   * Handles {@code message} twice, with its first acknowledgement lost, and compares what there is
   * after the first handling with what there is after the second: the rows of every table, what is
   * enqueued, and what {@code outside} says of the world. Columns that count by themselves are left
   * out.
   *
   * <p>The first handling ends when its handler has returned: what it wrote in the message's
   * transaction is rolled back with it, and its calls to the outside stay.
   *
   * @param outside the state of what the handler calls, such as the mails of a fake
   * @throws AssertionError if anything differs, with the differences
   */
  public void checkIdempotent(NewMessage message, Supplier<?>... outside) {
    new IdempotencyCheck(database, this, faults).run(message, List.of(outside));
  }

  /** Frees its connections; its messages stay as they are. Idempotent. */
  @Override
  public void close() {
    connections.close();
  }

  static boolean hasCrashed(List<HandledMessage> handled) {
    return handled.stream().anyMatch(each -> each.outcome() == null);
  }

  private List<HandledMessage> turn(int most) {
    LockId me = live();
    keepHouse();
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

  /** What a worker's other loops do. */
  private void keepHouse() {
    int fired = get(Firing.class).fireDue();
    while (fired > 0) {
      fired = get(Firing.class).fireDue();
    }
    Reaper reaper = get(Reaper.class);
    if (reaper.hasSomeoneGone(Duration.ZERO) || reaper.hasOrphans()) {
      reaper.declareDead();
      reaper.reap(MANY, MOST_LOST);
      reaper.removeDead();
    }
    int moved = 1;
    while (moved > 0) {
      moved = get(ClaimStore.class).promote(MANY) + get(Admission.class).admitNow();
    }
  }

  /** Its row, with a lease from now on. */
  private LockId live() {
    WorkerRegistry registry = get(WorkerRegistry.class);
    LockId known = holder;
    if (known != null && registry.renew(known, LEASE, WorkerAddress.NONE)) {
      return known;
    }
    if (lives == 0) {
      declare();
    }
    LockId born = new LockId("test-worker-" + ++lives + "-" + database.name());
    Set<Topic> topics = get(HandlerRegistry.class).topics();
    registry.register(
        new WorkerLife(born, "test", lives, "test", topics, WorkerAddress.NONE), LEASE);
    holder = born;
    return born;
  }

  /** What a worker does when it starts. */
  private void declare() {
    parts.getInstance(SCHEDULES).values().forEach(get(Schedules.class)::declare);
    get(Subscriptions.class).declare(parts.getInstance(SUBSCRIPTIONS));
    get(HandlerRegistry.class).makeHandlers();
  }

  private List<HandledMessage> handleNext(Topic topic, LockId me) {
    int most = get(HandlerRegistry.class).policy(topic).grouping().most();
    List<Claim> claims = new ArrayList<>();
    for (Claim claim : get(ClaimStrategy.class).claim(new ClaimRequest(topic, me, most, 1))) {
      if (claim.dueLater()) {
        get(ClaimStore.class).handBack(List.of(claim));
      } else {
        claims.add(claim);
      }
    }
    return claims.isEmpty() ? List.of() : handle(claims);
  }

  private List<HandledMessage> handle(List<Claim> claims) {
    Handover watch = new Handover(claims);
    Optional<Redelivery> again =
        faults.take(Fault.DELIVERED_TWICE)
            ? Optional.of(Redelivery.of(database, claims.get(0)))
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
      // Its messages are its own until its lease is over.
      dead = holder;
      holder = null;
    } finally {
      connections.comeBack();
    }
    again.ifPresent(redelivery -> redelivery.deliver(database));
    return watch.ended();
  }

  private void acknowledge(Claim claim, Handover watch) {
    int acked = get(Settler.class).ackAll(List.of(claim));
    watch.settled(claim, acked == 1 ? Outcome.ACKED : Outcome.LOST);
  }

  /** Somebody else has released it, as a reap does. */
  private void takeAway(Claim claim) {
    get(Settler.class).releaseAll(List.of(claim));
  }
}
