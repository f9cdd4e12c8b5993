package io.rowqueue.proof.security;

import static io.rowqueue.table.Tables.QUEUE_DEAD_LETTER;

import io.rowqueue.archive.Archive;
import io.rowqueue.cancel.Cancellations;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimKey;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimSettings;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.ClaimStrategy.Kind;
import io.rowqueue.claim.HandlerResult;
import io.rowqueue.claim.LockId;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.deduplicate.DeduplicationKeys;
import io.rowqueue.depth.DepthJudge;
import io.rowqueue.depth.DepthLimit;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.limit.RateBuckets;
import io.rowqueue.limit.Slots;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.TopicSettings;
import io.rowqueue.progress.ProgressReport;
import io.rowqueue.progress.ProgressStore;
import io.rowqueue.proof.statement.Core;
import io.rowqueue.reap.Reaper;
import io.rowqueue.reap.WorkerAddress;
import io.rowqueue.reap.WorkerLife;
import io.rowqueue.reap.WorkerRegistry;
import io.rowqueue.result.ResultPruning;
import io.rowqueue.schedule.Firing;
import io.rowqueue.schedule.Schedules;
import io.rowqueue.schema.QueueSchema;
import io.rowqueue.settle.AttemptError;
import io.rowqueue.settle.Settler;
import io.rowqueue.subscribe.Subscription;
import io.rowqueue.subscribe.Subscriptions;
import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/** Everything that a worker sends, by the core's own parts over its account. */
final class WorkerPlays {

  private static final Topic TOPIC = new Topic("play");
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final AttemptError ERROR = new AttemptError("E", "m", "t");

  private final LockId worker = LockId.create("host", 1);
  private static final HandlerResult RESULT =
      new HandlerResult("{}", new byte[] {'1'}, Duration.ofHours(1), null);

  private final QueueDatabase database;
  private final DataSource account;
  private final Core core;
  private final ClaimStrategy administrator;

  WorkerPlays(QueueDatabase database, DataSource account) {
    this.database = database;
    this.account = account;
    this.core = new Core(account, TransactionProbe.NONE);
    this.administrator =
        new Core(database.dataSource(), TransactionProbe.NONE).get(ClaimStrategy.class);
  }

  Plays all() {
    Plays plays = new Plays(database);
    plays.add("check the schema", () -> schema().check());
    plays.add("read the queue's name", () -> schema().queueName());
    plays.add("wishes", () -> core.get(TopicSettings.class).refresh(worker));
    addLife(plays);
    addClaims(plays);
    addSettlements(plays);
    addDeaths(plays);
    addSchedules(plays);
    addSubscriptions(plays);
    plays.add("enqueue from a handler", this::enqueueAsHandlersDo);
    addLimits(plays);
    plays.add("judge", this::judge);
    plays.add("report", this::report);
    plays.add("cancel", this::cancel);
    plays.add("prune", this::prune);
    plays.add("prune keys", this::pruneKeys);
    plays.add("ack with a result", () -> ack(claimed("lost = 0").withResult(RESULT)));
    plays.add("prune results", this::pruneResults);
    plays.add("count a topic's dead letters", this::countDeadLetters);
    new BodyPlays(database, account).addTo(plays);
    new LinePlays(database, account).addWorkers(plays);
    new MemberPlays(database, account).addWorkers(plays);
    return plays;
  }

  /** As the metrics do; {@code AdminAccountIT} runs their own statement with this account. */
  private void countDeadLetters() {
    Plays.hold(
        Transactions.on(account)
                .read(dsl -> dsl.fetchCount(QUEUE_DEAD_LETTER, QUEUE_DEAD_LETTER.TOPIC.eq("play")))
            == 0);
  }

  void addClaim(Plays plays, Kind kind) {
    plays.add("claim by " + kind.label(), () -> claimBy(kind));
  }

  private void addLife(Plays plays) {
    WorkerLife life = new WorkerLife(worker, "host", 1, "test", Set.of(TOPIC), WorkerAddress.NONE);
    plays.add("register", () -> registry().register(life, LEASE));
    plays.add(
        "renew",
        () -> {
          workerRow(1, "60");
          Plays.hold(registry().renew(worker, LEASE, WorkerAddress.NONE));
        });
    plays.add("deregister", () -> registry().deregister(worker));
  }

  private void addClaims(Plays plays) {
    addClaim(plays, Kind.SKIP_LOCKED);
    addClaim(plays, Kind.UPDATE_LIMIT);
    addClaim(plays, Kind.OPTIMISTIC);
    plays.add(
        "promote",
        () -> {
          message("state = 2");
          Plays.hold(store().promote(500) == 1);
        });
    plays.add("start", () -> store().start(claimed("lost = 1")));
    plays.add("load", () -> store().load(claimed("payload = CAST(REPEAT('a', 40000) AS BINARY)")));
    plays.add(
        "reconcile",
        () -> {
          claimed("lost = 0");
          Plays.hold(store().reconcile(worker, Set.of()) == 1);
        });
    plays.add("hand back", () -> Plays.hold(store().handBack(List.of(claimed("lost = 0"))) == 1));
  }

  private void addSettlements(Plays plays) {
    plays.add(
        "retry",
        () -> Plays.hold(settler().retry(claimed("lost = 0"), ERROR, Duration.ofSeconds(1))));
    plays.add(
        "release", () -> Plays.hold(settler().release(claimed("lost = 0"), Duration.ofSeconds(1))));
    plays.add("ack of what had failed before", () -> ack(claimed("attempts = 1")));
    plays.add("ack of many", () -> Plays.hold(settler().ackAll(List.of(claimed("lost = 0"))) == 1));
    plays.add("ack with a copy", this::ackWithCopy);
    plays.add(
        "dead-letter",
        () ->
            Plays.hold(
                settler()
                    .deadLetter(
                        claimed("attempts = 1"), DeadLetterReason.PERMANENT_FAILURE, ERROR)));
  }

  private void addDeaths(Plays plays) {
    plays.add("look for free locks", () -> reaper().unlocked());
    plays.add("look for who is gone", () -> reaper().hasSomeoneGone(Duration.ZERO));
    plays.add("look for orphans", () -> reaper().hasOrphans());
    plays.add(
        "declare dead",
        () -> {
          workerRow(1, "-1");
          Plays.hold(reaper().declareDead() == 1);
        });
    plays.add("reap", () -> reap("lost = 0", 1, 0));
    plays.add("reap into quarantine", () -> reap("lost = 2, started = 1", 0, 1));
    plays.add(
        "remove the dead",
        () -> {
          workerRow(0, "-1");
          Plays.hold(reaper().removeDead() == 1);
        });
  }

  private void addSchedules(Plays plays) {
    plays.add(
        "declare a schedule",
        () -> Plays.hold(core.get(Schedules.class).declare(SchedulePlays.schedule())));
    plays.add("look for the next firing", () -> core.get(Firing.class).untilNext());
    plays.add(
        "fire",
        () -> {
          SchedulePlays.due(database);
          Plays.hold(core.get(Firing.class).fireDue() == 1);
        });
  }

  private void addSubscriptions(Plays plays) {
    plays.add(
        "declare a subscription",
        () -> {
          SubscriptionPlays.row(database);
          Plays.hold(
              core.get(Subscriptions.class)
                      .declare(
                          List.of(Subscription.of("play", "there"), Subscription.of("play", "new")))
                  == 1);
        });
    plays.add(
        "publish as handlers do",
        () -> {
          SubscriptionPlays.row(database);
          core.get(Transactions.class)
              .run(
                  Transition.PUBLISH,
                  tx ->
                      core.get(MessageProducer.class)
                          .publish(tx.dsl(), NewMessage.of("play", "p"))
                          .requireCopies());
        });
  }

  private void enqueueAsHandlersDo() {
    NewMessage message =
        NewMessage.of(TOPIC, "p")
            .withHeader("a", "b")
            .withPriority(1)
            .withDelay(Duration.ofHours(1));
    core.get(Transactions.class)
        .run(Transition.ENQUEUE, tx -> core.get(MessageProducer.class).enqueue(tx.dsl(), message));
  }

  private void addLimits(Plays plays) {
    plays.add("make slots", () -> Plays.hold(slots().make(TOPIC, List.of(0, 1)) == 2));
    plays.add(
        "take slots",
        () -> {
          slot("");
          Plays.hold(slots().take(TOPIC, worker, List.of(0)).equals(Set.of(0)));
        });
    plays.add(
        "give slots back",
        () -> {
          slot(worker.value());
          Plays.hold(slots().giveBack(TOPIC, worker, List.of(0)) == 1);
        });
    plays.add(
        "free slots",
        () -> {
          slot(worker.value());
          Plays.hold(slots().freeThoseOfTheDead(TOPIC) == 1);
        });
    plays.add("want slots", () -> slots().want(TOPIC));
    plays.add("draw from a new bucket", () -> Plays.hold(draw() == 1));
    plays.add(
        "draw",
        () -> {
          database.execute("INSERT INTO queue_rate VALUES ('play', 1, UTC_TIMESTAMP(6))");
          Plays.hold(draw() == 1);
        });
  }

  private void cancel() {
    MessageId id = MessageProducer.create().enqueue(database.dataSource(), NewMessage.of(TOPIC, 1));
    database.execute("INSERT INTO queue_cancel (message_id) VALUES (" + id + ")");
    core.get(TopicSettings.class).refresh(worker);
    core.get(Cancellations.class).apply(id);
    core.get(Cancellations.class).forget(id);
    Claim claim = claimed("lost = 0");
    database.execute("INSERT INTO queue_cancel (message_id) VALUES (" + claim.id() + ")");
    core.get(Settler.class).cancel(claim);
  }

  private void pruneResults() {
    database.execute(
        "INSERT INTO queue_result (message_id, topic, settled_at, expires_at) VALUES (1, 'play',"
            + " UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)",
        "INSERT INTO queue_waiter VALUES ('gone', 1, 's', UTC_TIMESTAMP(6) - INTERVAL 1 DAY)");
    Plays.hold(core.get(ResultPruning.class).prune(10) == 1);
    Plays.hold(database.count("SELECT COUNT(*) FROM queue_waiter") == 0);
  }

  private void report() {
    ProgressStore store = core.get(ProgressStore.class);
    ClaimKey claim = new ClaimKey(new MessageId(1), 1);
    store.report(List.of(new ProgressReport(claim, 1, 2L, "half")));
    store.report(List.of(new ProgressReport(claim, 2, 2L, "all")));
    store.forget(List.of(claim));
    store.report(List.of(new ProgressReport(claim, 1, 2L, "half")));
    database.execute("UPDATE queue_progress SET updated_at = updated_at - INTERVAL 1 HOUR");
    store.prune(10);
  }

  private void judge() {
    Plays.hold(
        core.get(DepthJudge.class)
            .judge(
                TOPIC, new DepthLimit(1L, Duration.ofSeconds(1)), Collections.emptyNavigableMap()));
  }

  private void slot(String lockId) {
    database.execute(
        "INSERT INTO queue_slot (topic, slot, lock_id) VALUES ('play', 0, '%s')".formatted(lockId));
  }

  private int draw() {
    return core.get(RateBuckets.class).draw(TOPIC, 1, 100).messages();
  }

  private void claimBy(Kind kind) {
    message("state = 0");
    ClaimStrategy strategy = core.strategy(new ClaimSettings(kind, false));
    Plays.hold(strategy.claim(new ClaimRequest(TOPIC, worker, 1, 1)).size() == 1);
  }

  private void ack(Claim claim) {
    core.get(Transactions.class)
        .run(
            Transition.ACK,
            tx -> {
              settler().ack(tx, claim);
              return claim;
            });
  }

  private void ackWithCopy() {
    Claim claim = claimed("lost = 0");
    database.execute("INSERT INTO queue_topic (topic, keep_days) VALUES ('play', 1)");
    core.get(TopicSettings.class).refresh(worker);
    ack(claim);
    Plays.hold(database.count("SELECT COUNT(*) FROM queue_archive") == 1);
    database.execute("DELETE FROM queue_topic");
    core.get(TopicSettings.class).refresh(worker);
  }

  private void reap(String how, int released, int quarantined) {
    workerRow(0, "-1");
    message("state = 1, claims = 1, lock_id = '%s', %s".formatted(worker, how));
    Reaper.Reaped reaped = reaper().reap(500, 3);
    Plays.hold(reaped.equals(new Reaper.Reaped(released, quarantined)));
  }

  private void prune() {
    database.execute(
        """
        INSERT INTO queue_archive (id, settled_day, topic, priority, claims, attempts, lost, worker,
          due_at, created_at, settled_at, payload)
        VALUES (1, UTC_DATE(), 'play', 0, 1, 0, 0, 'w', UTC_TIMESTAMP(), UTC_TIMESTAMP(),
          UTC_TIMESTAMP(), 'p')
        """);
    Plays.hold(core.get(Archive.class).prune(500) == 1);
  }

  private void pruneKeys() {
    database.execute(
        "INSERT INTO queue_deduplication (dedup_id, topic, dedup_key, version, updated_at) VALUES"
            + " (REPEAT('x', 16), 'play', 'k', 1, UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)");
    Plays.hold(core.get(DeduplicationKeys.class).prune(500) == 1);
  }

  private Claim claimed(String how) {
    message(how);
    return administrator.claim(new ClaimRequest(TOPIC, worker, 1, 100)).get(0);
  }

  private void message(String how) {
    database.execute(
        "INSERT INTO queue_message (topic, payload) VALUES ('play', '{}')",
        "UPDATE queue_message SET " + how);
  }

  private void workerRow(int alive, String leaseSeconds) {
    database.execute(
        """
        INSERT INTO queue_worker (lock_id, host, pid, alive, lease_until, version, topics,
          started_at, updated_at)
        VALUES ('%s', 'h', 1, %d, UTC_TIMESTAMP(6) + INTERVAL %s SECOND, 't', 'play',
          UTC_TIMESTAMP(), UTC_TIMESTAMP())
        """
            .formatted(worker, alive, leaseSeconds));
  }

  private QueueSchema schema() {
    return QueueSchema.of(core.get(Transactions.class));
  }

  private ClaimStore store() {
    return core.get(ClaimStore.class);
  }

  private Slots slots() {
    return core.get(Slots.class);
  }

  private Settler settler() {
    return core.get(Settler.class);
  }

  private WorkerRegistry registry() {
    return core.get(WorkerRegistry.class);
  }

  private Reaper reaper() {
    return core.get(Reaper.class);
  }
}
