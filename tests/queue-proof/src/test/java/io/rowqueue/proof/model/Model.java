package io.rowqueue.proof.model;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.proof.model.Image.Names;
import io.rowqueue.proof.model.Rows.AttemptRow;
import io.rowqueue.proof.model.Rows.MessageRow;
import io.rowqueue.proof.model.Rows.SettledRow;
import io.rowqueue.proof.model.Rows.TopicRow;
import io.rowqueue.proof.model.Rows.WorkerRow;
import io.rowqueue.proof.model.World.Held;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the tables should hold: the protocol's table of transitions in plain Java. What a claim may
 * take stands in {@link Takings}.
 */
final class Model {

  static final Duration LEASE = Duration.ofSeconds(15);
  static final int MAX_ATTEMPTS = 3;
  static final Duration BACKOFF = Duration.ofSeconds(2);

  final Map<Long, MessageRow> messages = new TreeMap<>();
  final Map<String, WorkerRow> workers = new TreeMap<>();
  final List<AttemptRow> attempts = new ArrayList<>();
  final Map<Long, SettledRow> deadLetters = new TreeMap<>();
  final Set<String> effects = new HashSet<>();

  /** Rows that an open transaction has deleted and not committed. */
  final Set<Long> locked = new HashSet<>();

  final Settings settings = new Settings();

  private final Names names;
  private long now;

  Model(Names names) {
    this.names = names;
  }

  long now() {
    return now;
  }

  long after(Duration delay) {
    return now + Times.micros(delay);
  }

  void pass(Duration time) {
    now = after(time);
  }

  /** The message of {@code held} if that claim is still held; null if it was lost. */
  @Nullable MessageRow heldBy(Held held) {
    MessageRow row = messages.get(held.id());
    return row != null && row.lockId.equals(held.lockId()) && row.claims == held.number()
        ? row
        : null;
  }

  /** Scheduled messages that are due, the longest due first. */
  List<MessageRow> due() {
    return messages.values().stream()
        .filter(row -> row.isScheduled() && row.dueAt <= now)
        .sorted(Comparator.comparingLong(row -> row.dueAt))
        .toList();
  }

  boolean hasAvailable(String topic) {
    return messages.values().stream().anyMatch(row -> row.isAvailable() && row.topic.equals(topic));
  }

  void claim(MessageRow row, String lockId) {
    row.state = MessageState.CLAIMED;
    row.lockId = lockId;
    row.claims++;
    row.started = false;
    row.updatedAt = now;
  }

  boolean start(Held held) {
    return change(held, row -> row.started = true);
  }

  boolean ack(Held held) {
    return change(
        held,
        row -> {
          settings.archive.addAll(copies(row));
          cancel(row.id);
        });
  }

  /** A handler's effect and its message's deletion, and the copy that was made before. */
  boolean commit(Held held, List<SettledRow> copies) {
    return change(
        held,
        row -> {
          effects.add(names.of(row.id) + " claim " + held.number());
          settings.archive.addAll(copies);
          cancel(row.id);
        });
  }

  /** What an ack of {@code row} archives now: one copy, or none. */
  List<SettledRow> copies(MessageRow row) {
    return settings.isKeptAsRead(row.topic)
        ? List.of(SettledRow.of(row, now, row.lockId, "day " + Times.day(now)))
        : List.of();
  }

  boolean retry(Held held, String error, Duration backoff) {
    return change(
        held,
        row -> {
          row.attempts++;
          attempts.add(new AttemptRow(row.id, row.claims, row.attempts, held.lockId(), now, error));
          wait(row, backoff);
        });
  }

  boolean release(Held held, Duration delay) {
    return change(held, row -> wait(row, delay, row.dueAt));
  }

  private void wait(MessageRow row, Duration delay) {
    wait(row, delay, now);
  }

  private void wait(MessageRow row, Duration delay, long dueWithout) {
    row.leave(delay.isZero() ? MessageState.AVAILABLE : MessageState.SCHEDULED, now);
    row.dueAt = delay.isZero() ? dueWithout : after(delay);
  }

  boolean deadLetter(Held held, DeadLetterReason reason, String error) {
    return change(
        held,
        row -> {
          row.attempts++;
          attempts.add(new AttemptRow(row.id, row.claims, row.attempts, held.lockId(), now, error));
          deadLetter(row, reason, error);
        });
  }

  private void deadLetter(MessageRow row, DeadLetterReason reason, String detail) {
    String why = reason.label() + ", " + detail;
    deadLetters.put(row.id, SettledRow.of(row, now, row.lockId, why));
    messages.remove(row.id);
  }

  /** Available again, or scheduled if it is not due yet. */
  boolean release(Held held) {
    return change(held, this::release);
  }

  private void release(MessageRow row) {
    row.leave(row.dueAt > now ? MessageState.SCHEDULED : MessageState.AVAILABLE, now);
  }

  /** Hands back what {@code lockId} holds and is none of {@code known}. */
  int reconcile(String lockId, List<Held> known) {
    List<MessageRow> unknown =
        messages.values().stream()
            .filter(row -> row.lockId.equals(lockId))
            .filter(row -> known.stream().noneMatch(held -> heldBy(held) == row))
            .toList();
    unknown.forEach(this::release);
    return unknown.size();
  }

  private boolean change(Held held, Consumer<MessageRow> change) {
    MessageRow row = heldBy(held);
    if (row != null) {
      change.accept(row);
    }
    return row != null;
  }

  void register(String lockId) {
    workers.put(lockId, new WorkerRow(lockId, true, false, after(LEASE)));
  }

  boolean renew(String lockId) {
    return changeLiving(lockId, row -> row.until(after(LEASE)));
  }

  boolean drain(String lockId) {
    return changeLiving(lockId, WorkerRow::drained);
  }

  private boolean changeLiving(String lockId, Function<WorkerRow, WorkerRow> change) {
    boolean lives = lives(lockId);
    workers.computeIfPresent(lockId, (id, row) -> lives ? change.apply(row) : row);
    return lives;
  }

  boolean lives(String lockId) {
    WorkerRow row = workers.get(lockId);
    return row != null && row.alive();
  }

  int declareDead() {
    List<WorkerRow> expired =
        workers.values().stream().filter(row -> row.alive() && row.leaseUntil() < now).toList();
    expired.forEach(row -> workers.put(row.lockId(), row.dead()));
    return expired.size();
  }

  int removeDead() {
    List<String> empty =
        workers.values().stream()
            .filter(row -> !row.alive() && !holdsAnything(row.lockId()))
            .map(WorkerRow::lockId)
            .toList();
    empty.forEach(workers::remove);
    return empty.size();
  }

  private boolean holdsAnything(String lockId) {
    return messages.values().stream().anyMatch(row -> row.lockId.equals(lockId));
  }

  /** Claims that no live worker holds, but for those that an open transaction is ending. */
  List<MessageRow> orphans() {
    return messages.values().stream()
        .filter(row -> row.isClaimed() && !lives(row.lockId) && !locked.contains(row.id))
        .toList();
  }

  /** Loses {@code row}'s claim for it; whether that was one too many. */
  boolean reap(MessageRow row, int maxLostClaims) {
    if (row.lost == 0 || row.started) {
      row.lost++;
    }
    boolean quarantined = row.lost >= maxLostClaims;
    if (quarantined) {
      deadLetter(
          row,
          DeadLetterReason.CLAIMS_LOST,
          "%d claims died with their workers, the last one with %s; find out what ends the process"
              .formatted(row.lost, row.lockId));
    } else {
      row.leave(MessageState.AVAILABLE, now);
    }
    return quarantined;
  }

  boolean redrive(long id) {
    SettledRow dead = deadLetters.get(id);
    if (dead == null) {
      return false;
    }
    discard(id);
    MessageRow row =
        new MessageRow(id, dead.topic(), dead.leaving().payload(), dead.dates().createdAt());
    row.priority = dead.counts().priority();
    row.claims = dead.counts().claims();
    row.dueAt = now;
    messages.put(id, row);
    return true;
  }

  boolean discard(long id) {
    boolean dead = deadLetters.remove(id) != null;
    if (dead) {
      attempts.removeIf(attempt -> attempt.id() == id);
    }
    return dead;
  }

  boolean isUnclaimed(long id) {
    MessageRow row = messages.get(id);
    return row != null && !row.isClaimed();
  }

  void cancel(long id) {
    messages.remove(id);
    attempts.removeIf(attempt -> attempt.id() == id);
  }

  void reschedule(long id, long dueAt) {
    MessageRow row = message(id);
    row.dueAt = dueAt;
    row.state = dueAt > now ? MessageState.SCHEDULED : MessageState.AVAILABLE;
  }

  MessageRow message(long id) {
    return Objects.requireNonNull(messages.get(id), () -> "no message " + id);
  }

  Image image() {
    return new Image()
        .with("queue_message", messages.values().stream().map(row -> row.line(names)))
        .with("queue_worker", workers.values().stream().map(WorkerRow::line))
        .with("queue_attempt", lines(attempts))
        .with("queue_dead_letter", deadLetters.values().stream().map(row -> row.line(names)))
        .with("queue_archive", settings.archive.stream().map(row -> row.line(names)))
        .with("queue_topic", settings.lines())
        .with("effect", effects.stream());
  }

  private Stream<String> lines(List<AttemptRow> rows) {
    return rows.stream().map(row -> row.line(names));
  }

  /** What operators set for topics, as it stands and as the process knows it; and the archive. */
  static final class Settings {

    final List<SettledRow> archive = new ArrayList<>();

    private final Map<String, TopicRow> topics = new TreeMap<>();
    private final Map<String, TopicRow> asRead = new HashMap<>();

    void set(String topic, UnaryOperator<TopicRow> change) {
      topics.put(topic, change.apply(topics.getOrDefault(topic, TopicRow.DEFAULTS)));
    }

    /** The process reads them; until then it honors what it read before. */
    void read() {
      asRead.clear();
      asRead.putAll(topics);
    }

    boolean isKeptAsRead(String topic) {
      return asRead.getOrDefault(topic, TopicRow.DEFAULTS).retentionDays() != null;
    }

    @Nullable Integer limitAsRead(String topic) {
      return asRead.getOrDefault(topic, TopicRow.DEFAULTS).inFlight();
    }

    boolean isPausedAsRead(String topic) {
      return asRead.getOrDefault(topic, TopicRow.DEFAULTS).paused();
    }

    /** Removes what is too old on {@code today}; how many. */
    int prune(long today) {
      int before = archive.size();
      archive.removeIf(copy -> Times.day(copy.dates().at()) < firstKeptDay(copy.topic(), today));
      return before - archive.size();
    }

    private long firstKeptDay(String topic, long today) {
      Integer days = topics.getOrDefault(topic, TopicRow.DEFAULTS).retentionDays();
      return days == null ? today + 1 : today - days;
    }

    Stream<String> lines() {
      return topics.entrySet().stream().map(topic -> topic.getValue().line(topic.getKey()));
    }
  }
}
