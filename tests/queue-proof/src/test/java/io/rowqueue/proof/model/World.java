package io.rowqueue.proof.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.operate.TopicSettingsCache;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.proof.model.HandlerSteps.Ending;
import io.rowqueue.proof.model.HandlerSteps.OpenHandling;
import io.rowqueue.proof.model.HandlerThread.Station;
import io.rowqueue.proof.model.Image.Names;
import io.rowqueue.proof.model.ProducerSteps.OpenEnqueue;
import io.rowqueue.proof.model.Rows.MessageRow;
import io.rowqueue.proof.model.Scenario.BatchChanges;
import io.rowqueue.proof.model.Takings.Strategy;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One play: the real protocol, the model, and what the actors know. Confined to one thread. */
final class World implements AutoCloseable {

  static final List<Topic> TOPICS = List.of(new Topic("a"), new Topic("b"));
  static final AttemptError ERROR = new AttemptError("Error", "direct", "trace");

  final Protocol protocol;
  final Names names = new Names();
  final Model model = new Model(names);

  /** Workers whose processes run; by their rows they may be dead. */
  final List<Life> lives = new ArrayList<>();

  /** Claims that nobody has in hand any more: settled, forgotten, or left by a crash. */
  final List<Held> past = new ArrayList<>();

  /** Every message that ever was, and those whose enqueueing was rolled back. */
  final List<Long> ids = new ArrayList<>();

  final List<OpenEnqueue> producers = new ArrayList<>();
  final List<OpenHandling> handlings = new ArrayList<>();

  private final Connection reader;
  final Tables tables;
  private final BatchChanges tally;
  private final List<String> script = new ArrayList<>();
  private int born;
  private int enqueued;

  World(QueueDatabase database, Protocol protocol, BatchChanges tally) throws SQLException {
    this.protocol = protocol;
    this.tally = tally;
    database.clean();
    database.execute("DELETE FROM effect");
    this.reader = database.connect();
    this.tables = new Tables(reader, names);
    protocol.connections().setClock(0);
    protocol.get(TopicSettingsCache.class).refresh(null);
  }

  void say(String what) {
    script.add(what);
  }

  List<String> script() {
    return List.copyOf(script);
  }

  /** Counts something that ought to happen in a run now and then. */
  void happened(String what) {
    tally.count(what);
  }

  /** Compares all tables with the model; whoever had to wait is an error, too. */
  void check() throws SQLException {
    assertThat(protocol.takeRepetitions()).as("transactions that ran again").isZero();
    String differences = model.image().differences(tables.image());
    assertThat(differences).as("tables that are not as the model has them").isEmpty();
  }

  void answered(String what, @Nullable Object real, @Nullable Object expected) {
    assertThat(real).as(what).isEqualTo(expected);
  }

  /** A lock_id that reads well, and is the same in every repetition of the play. */
  LockId nextLockId() {
    return new LockId("w" + ++born);
  }

  int nextPayload() {
    return ++enqueued;
  }

  void isCommitted(MessageRow row) {
    model.messages.put(row.id, row);
    ids.add(row.id);
  }

  String name(long id) {
    return names.of(id);
  }

  String name(Held held) {
    return "%s (claim %d of %s)".formatted(name(held.id()), held.number(), held.lockId());
  }

  boolean isLocked(long id) {
    return model.locked.contains(id);
  }

  /** Whether anybody holds a row that a strategy which waits could wait for. */
  boolean hasOpenWrites() {
    return !producers.isEmpty() || !model.locked.isEmpty();
  }

  List<Held> waitingOf(Life life) {
    return life.waiting.stream().filter(held -> !isLocked(held.id())).toList();
  }

  /**
   * Running workers that have claims which nobody handles yet, and whose rows nobody has locked.
   */
  List<Life> withWaiting() {
    return lives.stream().filter(life -> !waitingOf(life).isEmpty()).toList();
  }

  /** Past claims of messages that no open transaction has locked. */
  List<Held> pastInReach() {
    return past.stream().filter(held -> !isLocked(held.id())).toList();
  }

  /** Claims whose handler still runs, with nothing locked: a watch may give up on them. */
  List<Held> runningInReach() {
    return handlings(Station.HANDLING)
        .map(handling -> handling.held)
        .filter(held -> !isLocked(held.id()))
        .toList();
  }

  List<Long> idsInReach() {
    return ids.stream().filter(id -> !isLocked(id)).toList();
  }

  Stream<OpenHandling> handlings(Station station) {
    return handlings.stream().filter(handling -> handling.station == station);
  }

  /** The claim leaves its worker's hand. */
  void drop(Life life, Held held) {
    life.waiting.remove(held);
    past.add(held);
  }

  /** The process of {@code life} is gone, and what it knew with it. */
  void end(Life life) {
    lives.remove(life);
    past.addAll(life.waiting);
    life.waiting.clear();
  }

  @Override
  public void close() throws SQLException {
    @Nullable RuntimeException failure = null;
    for (OpenHandling handling : List.copyOf(handlings)) {
      try {
        handling.thread.goOn(Ending.CRASH);
      } catch (AssertionError e) {
        failure = new IllegalStateException(e);
      }
    }
    for (OpenEnqueue producer : producers) {
      producer.connection().rollback();
      producer.connection().close();
    }
    reader.close();
    if (failure != null) {
      throw failure;
    }
  }

  /** One life of a worker, as its own process knows it: how it claims, and which claims it has. */
  static final class Life {

    final LockId lockId;
    final Strategy strategy;
    final List<Held> waiting = new ArrayList<>();

    Life(LockId lockId, Strategy strategy) {
      this.lockId = lockId;
      this.strategy = strategy;
    }

    @Override
    public String toString() {
      return lockId.value();
    }
  }

  /** A claim that somebody was given, whether it is still good or not. */
  record Held(Claim claim) {

    long id() {
      return claim.id().value();
    }

    int number() {
      return claim.number();
    }

    String lockId() {
      return claim.lockId().value();
    }
  }
}
