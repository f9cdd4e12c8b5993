package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.depth.JooqTableSize;
import io.rowqueue.internal.operate.JooqWorkers;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerLoad;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.Workers;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.dashboard.JooqMessageSearch.Filter;
import io.rowqueue.worker.internal.dashboard.JooqMessageSearch.Scope;
import io.rowqueue.worker.internal.observe.ListedWorker;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Lists the workers by host with what each has in flight, and pauses and drains them. */
@Singleton
class WorkerPages {

  private static final String HOME = "/workers";

  /** The limit for all workers together. */
  private static final int IN_FLIGHT_SHOWN = 500;

  /** The limit for each worker. */
  private static final int OF_EACH = 25;

  private final Board board;
  private final DashboardPool pool;
  private final LeaseState lease;
  private final Views views;

  @Inject
  WorkerPages(Board board, DashboardPool pool, LeaseState lease, Views views) {
    this.board = board;
    this.pool = pool;
    this.lease = lease;
    this.views = views;
  }

  /** A message in flight. */
  record Held(
      String id, String topic, String query, String age, boolean old, int attempts, String size) {}

  /** What it did at its last renewal. */
  record Load(String threads, String handled, String rate, String memory) {}

  /** A worker with its messages. */
  record Card(
      String lockId,
      String query,
      long pid,
      String version,
      String up,
      String lease,
      boolean late,
      boolean draining,
      boolean paused,
      String topics,
      String count,
      boolean own,
      @Nullable Load load,
      List<Held> held,
      @Nullable String more) {}

  /** The workers of a host. */
  record Host(String name, String query, boolean drainable, List<Card> cards) {}

  Reply list(Call call) {
    Board.Reading now = board.read();
    JooqMessageSearch search =
        new JooqMessageSearch(
            pool.transactions(), new Scope(null, MessageState.CLAIMED), Filter.ANY, null);
    List<JooqMessageSearch.Row> claimed =
        search.findWithSizes(IN_FLIGHT_SHOWN, SearchStep.PAGE_TIME);
    boolean all = search.isAtEnd();
    Map<String, List<JooqMessageSearch.Row>> byWorker =
        claimed.stream()
            .sorted(Comparator.comparing(JooqMessageSearch.Row::updatedAt))
            .collect(Collectors.groupingBy(JooqMessageSearch.Row::worker));
    Map<String, List<Card>> hosts = new TreeMap<>();
    JooqTableSize size = now.size();
    for (ListedWorker worker : now.workers()) {
      List<JooqMessageSearch.Row> held = byWorker.getOrDefault(worker.status().lockId(), List.of());
      byWorker.remove(worker.status().lockId());
      Instant at = size == null ? worker.startedAt() : size.at();
      hosts
          .computeIfAbsent(worker.status().host(), any -> new ArrayList<>())
          .add(card(worker, held, at, all));
    }
    Map<String, Object> model = new HashMap<>();
    model.put(
        "hosts", hosts.entrySet().stream().map(one -> host(one.getKey(), one.getValue())).toList());
    model.put("none", hosts.isEmpty());
    model.put("cut", all ? null : Texts.number(IN_FLIGHT_SHOWN));
    model.put(
        "nobodys",
        byWorker.values().stream().flatMap(List::stream).map(WorkerPages::held).toList());
    return views.show(call, new Views.Page("Workers", "workers", true, model));
  }

  private static Host host(String name, List<Card> cards) {
    return new Host(
        Texts.visible(name),
        OverviewPages.encoded(name),
        cards.stream().anyMatch(card -> !card.draining()),
        cards);
  }

  private Card card(
      ListedWorker worker, List<JooqMessageSearch.Row> rows, Instant at, boolean all) {
    List<Held> held = rows.stream().limit(OF_EACH).map(WorkerPages::held).toList();
    Duration left = worker.status().leaseLeft();
    String lockId = worker.status().lockId();
    return new Card(
        lockId,
        OverviewPages.encoded(lockId),
        worker.status().pid(),
        worker.status().version(),
        Texts.age(worker.startedAt(), at),
        left.isNegative() ? "expired" : Texts.age(left.toSeconds()) + " left",
        left.isNegative(),
        worker.draining(),
        worker.paused(),
        Texts.visible(String.join(", ", worker.status().topics())),
        Texts.number(rows.size()) + (all ? "" : "+"),
        isOwn(lockId),
        load(worker.load()),
        held,
        rows.size() > OF_EACH ? Texts.number(rows.size() - OF_EACH) : null);
  }

  private boolean isOwn(String lockId) {
    LockId own = lease.holder();
    return own != null && own.value().equals(lockId);
  }

  private static @Nullable Load load(@Nullable WorkerLoad load) {
    if (load == null) {
      return null;
    }
    Double rate = load.handledPerSecond();
    return new Load(
        "%d of %d".formatted(load.busyThreads(), load.threads()),
        "%s ended since its start".formatted(Texts.number(load.handled())),
        Texts.rate(rate == null ? Double.NaN : rate),
        "%s of %s".formatted(Texts.bytes(load.memoryUsed()), Texts.bytes(load.memoryMax())));
  }

  private static Held held(JooqMessageSearch.Row row) {
    long seconds = Duration.between(row.updatedAt(), row.at()).toSeconds();
    return new Held(
        Long.toString(row.id()),
        OverviewPages.shown(row.topic()),
        OverviewPages.encoded(row.topic()),
        Texts.age(seconds),
        seconds >= 60,
        row.attempts(),
        Texts.bytes(row.size()));
  }

  /** A worker that is to be drained. */
  record Target(String lockId, boolean own) {}

  /** Asks before it drains one worker, or all of a host. */
  Reply confirmDrain(Call call) {
    String host = call.query().raw("host");
    String one = call.query().raw("worker");
    List<Target> targets =
        board.read().workers().stream()
            .filter(worker -> !worker.draining())
            .filter(
                worker ->
                    worker.status().lockId().equals(one) || worker.status().host().equals(host))
            .map(worker -> worker.status().lockId())
            .map(lockId -> new Target(lockId, isOwn(lockId)))
            .toList();
    if (targets.isEmpty()) {
      throw new Refusal(404, "No such worker is running; it may be draining already.");
    }
    Map<String, Object> model = new HashMap<>();
    model.put("targets", targets);
    model.put("one", targets.size() == 1);
    model.put("count", targets.size());
    model.put("own", targets.stream().anyMatch(Target::own));
    return views.show(call, new Views.Page("Drain workers?", "drain", false, model));
  }

  Reply drain(Call call) {
    return each(call, "worker.drain", Workers::drain, "asked to drain and stop");
  }

  Reply pause(Call call) {
    return each(call, "worker.pause", Workers::pause, "asked to pause");
  }

  Reply resume(Call call) {
    return each(call, "worker.resume", Workers::resume, "asked to resume");
  }

  private Reply each(Call call, String did, BiConsumer<Workers, String> request, String note) {
    Workers workers = new JooqWorkers(pool.transactions());
    List<String> lockIds = call.form().all("worker");
    int done = 0;
    for (String lockId : lockIds) {
      String result = "requested";
      try {
        request.accept(workers, lockId);
        done++;
      } catch (RefusedException e) {
        result = "refused: not alive";
      }
      Audit.write(call.who(), did, lockId, result);
    }
    return views.done(call, HOME, "%d of %d %s.".formatted(done, lockIds.size(), note));
  }
}
