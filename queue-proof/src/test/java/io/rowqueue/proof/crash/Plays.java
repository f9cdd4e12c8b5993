package io.rowqueue.proof.crash;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.QueueCoreModule;
import io.rowqueue.archive.Archive;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimSettings;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.ClaimStrategy.Kind;
import io.rowqueue.claim.LockId;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.TopicSettings;
import io.rowqueue.operate.Topics;
import io.rowqueue.operate.Workers;
import io.rowqueue.proof.crash.victim.CoreSurroundings;
import io.rowqueue.reap.Reaper;
import io.rowqueue.reap.WorkerAddress;
import io.rowqueue.reap.WorkerLife;
import io.rowqueue.reap.WorkerRegistry;
import io.rowqueue.settle.AttemptError;
import io.rowqueue.settle.Settler;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.wakeup.Ring;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Runs every transition once, and gives back what each sent to the server. */
final class Plays {

  private static final Topic TOPIC = new Topic("play");
  private static final Duration LEASE = Duration.ofMinutes(1);
  private static final AttemptError ERROR = new AttemptError("E", "m", "t");

  private final QueueDatabase database;
  private final SqlRecorder recorder;
  private final Injector core;
  private final ClaimStrategy plain;
  private final LockId worker = LockId.create("host", 1);
  private final Map<Transition, String> sql = new TreeMap<>();

  Plays(QueueDatabase database) {
    this.database = database;
    this.recorder = new SqlRecorder(database.dataSource());
    // The marks of a cursor depend on the time of day, and so would the SQL.
    this.core = core(new ClaimSettings(Kind.SKIP_LOCKED, false));
    this.plain = core.getInstance(ClaimStrategy.class);
  }

  /** The SQL of every transition, formatted. */
  Map<Transition, String> sql() {
    play(Transition.REGISTER, "", () -> register(worker));
    play(Transition.RENEW, "", () -> registry().renew(worker, LEASE, WorkerAddress.NONE));
    play(Transition.ENQUEUE, "", () -> enqueue("o"));
    playClaims();
    playSettlements();
    playDeadLetters();
    playDeaths();
    playOperators();
    return Map.copyOf(sql);
  }

  private void play(Transition transition, String variant, Runnable action) {
    recorder.take();
    action.run();
    String text = SqlText.of(recorder.take());
    String titled = variant.isEmpty() ? text : "-- " + variant + "\n" + text;
    sql.merge(transition, titled, (before, now) -> before + "\n" + now);
  }

  private void playClaims() {
    database.execute("UPDATE queue_message SET state = 2");
    play(Transition.PROMOTE, "", () -> store().promote(500));
    for (Kind kind : Kind.values()) {
      ClaimStrategy strategy = strategy(ClaimSettings.defaults().withStrategy(kind));
      play(Transition.CLAIM, kind.label(), () -> claim(strategy, 10));
      database.execute("UPDATE queue_message SET state = 0, lock_id = ''");
    }
    enqueue("p");
    database.execute("UPDATE queue_message SET lost = 1");
    List<Claim> suspects = new ArrayList<>();
    play(
        Transition.CLAIM,
        "skip-locked without the cursor, more suspects at the head than the worker may take",
        () -> suspects.addAll(claim(10)));
    play(Transition.START, "", () -> store().start(suspects.get(0)));
    play(Transition.RECONCILE, "", () -> store().reconcile(worker, Set.of()));
    database.execute("UPDATE queue_message SET lost = 0, started = 0");
    List<Claim> claims = claim(10);
    play(Transition.HAND_BACK, "", () -> store().handBack(claims));
  }

  private void playSettlements() {
    Claim first = claim(1).get(0);
    play(Transition.RETRY, "", () -> settler().retry(first, ERROR, Duration.ofSeconds(2)));
    database.execute("UPDATE queue_message SET state = 0");
    Claim second = claim(1).get(0);
    play(
        Transition.RELEASE,
        "asked for by the handler",
        () -> settler().release(second, Duration.ofSeconds(1)));
    database.execute("UPDATE queue_message SET state = 0");
    List<Claim> third = claim(1);
    play(Transition.RELEASE, "at a drain", () -> settler().releaseAll(third));
    Claim fourth = claim(1).get(0);
    play(
        Transition.ACK,
        "one message",
        () ->
            core.getInstance(Transactions.class)
                .run(
                    Transition.ACK,
                    tx -> {
                      settler().ack(tx.dsl(), fourth);
                      return fourth;
                    }));
    enqueue("r");
    enqueue("s");
    List<Claim> batch = claim(10);
    play(
        Transition.ACK,
        "a batch, or many that were handled without a transaction",
        () -> settler().ackAll(batch));
    enqueue("t");
  }

  private void playDeadLetters() {
    Claim claim = claim(1).get(0);
    play(
        Transition.DEAD_LETTER,
        "",
        () -> settler().deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, ERROR));
    play(Transition.REDRIVE, "", () -> core.getInstance(DeadLetters.class).redrive(claim.id()));
    Claim again = claim(1).get(0);
    settler().deadLetter(again, DeadLetterReason.PERMANENT_FAILURE, ERROR);
    play(
        Transition.DISCARD,
        "",
        () -> core.getInstance(DeadLetters.class).discardAll(List.of(again.id())));
    enqueue("r");
  }

  private void playDeaths() {
    enqueue("q");
    claim(2);
    database.execute(
        "UPDATE queue_worker SET lease_until = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND",
        "UPDATE queue_message SET lost = 2, started = 1 ORDER BY id LIMIT 1");
    play(Transition.DECLARE_DEAD, "whose lease ran out", () -> reaper().declareDead());
    play(
        Transition.DECLARE_DEAD,
        "whose lock is free, on two looks half a second apart",
        () -> reaper().unlocked());
    play(
        Transition.REAP,
        "one is released, one has reached the limit of lost claims",
        () -> reaper().reap(500, 3));
    LockId other = LockId.create("host", 2);
    register(other);
    play(Transition.DEREGISTER, "itself", () -> registry().deregister(other));
    play(Transition.DEREGISTER, "the dead", () -> reaper().removeDead());
  }

  private void playOperators() {
    enqueue("q");
    MessageId id =
        new MessageId(database.count("SELECT MAX(id) FROM queue_message WHERE state = 0"));
    Messages messages = core.getInstance(Messages.class);
    play(Transition.RESCHEDULE, "", () -> messages.reschedule(id, Duration.ofMinutes(5)));
    play(Transition.PRIORITIZE, "", () -> messages.prioritize(id, 3));
    play(Transition.CANCEL, "", () -> messages.cancel(id));
    Topics topics = core.getInstance(Topics.class);
    play(Transition.PAUSE, "", () -> topics.pause(TOPIC));
    play(Transition.RESUME, "", () -> topics.resume(TOPIC));
    play(Transition.KEEP, "", () -> topics.keep(TOPIC, 7));
    LockId other = LockId.create("host", 3);
    register(other);
    play(Transition.DRAIN, "", () -> core.getInstance(Workers.class).drain(other.value()));
    enqueue("kept");
    register(worker);
    List<Claim> kept = claim(1);
    core.getInstance(TopicSettings.class).refresh(null);
    play(Transition.ACK, "where the topic keeps copies", () -> settler().ackAll(kept));
    topics.keepNone(TOPIC);
    play(Transition.PRUNE, "", () -> core.getInstance(Archive.class).prune(500));
  }

  private void register(LockId lockId) {
    registry()
        .register(
            new WorkerLife(lockId, "host", 1, "test", Set.of(TOPIC), WorkerAddress.NONE), LEASE);
  }

  private void enqueue(String payload) {
    // The look for listeners after the COMMIT is no part of the transition.
    MessageProducer.create()
        .ringing(Ring.SILENT)
        .enqueue(recorder.dataSource(), NewMessage.of(TOPIC.name(), payload));
  }

  private List<Claim> claim(int limit) {
    return claim(plain, limit);
  }

  private List<Claim> claim(ClaimStrategy strategy, int limit) {
    return strategy.claim(new ClaimRequest(TOPIC, worker, limit, 1));
  }

  private ClaimStrategy strategy(ClaimSettings settings) {
    return core(settings).getInstance(ClaimStrategy.class);
  }

  private Injector core(ClaimSettings settings) {
    return Guice.createInjector(
        new QueueCoreModule(),
        new CoreSurroundings(recorder.dataSource(), TransactionProbe.NONE),
        binder ->
            OptionalBinder.newOptionalBinder(binder, ClaimSettings.class)
                .setBinding()
                .toInstance(settings));
  }

  private ClaimStore store() {
    return core.getInstance(ClaimStore.class);
  }

  private Settler settler() {
    return core.getInstance(Settler.class);
  }

  private WorkerRegistry registry() {
    return core.getInstance(WorkerRegistry.class);
  }

  private Reaper reaper() {
    return core.getInstance(Reaper.class);
  }
}
