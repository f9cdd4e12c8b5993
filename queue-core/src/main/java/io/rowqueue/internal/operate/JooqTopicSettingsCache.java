package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_BATCH;
import static io.rowqueue.internal.table.Tables.QUEUE_CANCEL_REQUEST;
import static io.rowqueue.internal.table.Tables.QUEUE_DEPTH;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_TOPIC;
import static io.rowqueue.internal.table.Tables.QUEUE_WORKER;

import io.rowqueue.Topic;
import io.rowqueue.internal.cancel.Cancellations.PolledCancelRequest;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.operate.DepthLimit;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jooq.Field;
import org.jooq.Record1;
import org.jooq.Select;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

public final class JooqTopicSettingsCache implements TopicSettingsCache {

  /** Each text is one setting or request: its kind, followed by the topic. */
  private static final String PAUSED = "paused ";

  private static final String KEPT = "kept ";

  /** Followed by whether the worker is to drain, and to pause. */
  private static final String WORKER = "worker ";

  private static final Field<String> REQUESTED =
      DSL.field(
          "CONCAT('worker ', {0}, {1})", String.class, QUEUE_WORKER.DRAINING, QUEUE_WORKER.PAUSED);

  /**
   * Followed by the limits of slots and rate, whether slots are wanted, depth, age, weight, topic.
   */
  private static final String LIMITED = "limit ";

  /** Followed by the message, its state, and the requester. */
  private static final String CANCEL = "cancel ";

  private static final Field<String> CANCELLED =
      DSL.field(
          "CONCAT('cancel ', {0}, ' ', CASE WHEN {1} IS NULL THEN 'gone' WHEN {2} = 1 THEN {3} ELSE"
              + " 'waits' END, ' ', {4})",
          String.class,
          QUEUE_CANCEL_REQUEST.MESSAGE_ID,
          QUEUE_MESSAGE.ID,
          QUEUE_MESSAGE.STATE,
          QUEUE_MESSAGE.CLAIM_NUMBER,
          QUEUE_CANCEL_REQUEST.REQUESTED_BY);

  /** Followed by the id of a cancelled batch that is not complete. */
  private static final String BATCH = "batch ";

  /** Followed by a topic that has no limit any more, but a sample that is still full. */
  private static final String FULL = "full ";

  private static final String NO_LIMIT = "-";
  private static final String WANTED = "1";

  private static final Field<String> LIMITS =
      DSL.field(
          "CONCAT('limit ', COALESCE({0}, '-'), ' ', COALESCE({1}, '-'), ' ',"
              + " COALESCE({2} > UTC_TIMESTAMP(6) - INTERVAL 2 SECOND, 0), ' ',"
              + " COALESCE({3}, '-'), ' ', COALESCE({4}, '-'), ' ', COALESCE({5}, '-'), ' ', {6})",
          String.class,
          QUEUE_TOPIC.MAX_IN_FLIGHT,
          QUEUE_TOPIC.MAX_PER_SECOND,
          QUEUE_TOPIC.STARVED_AT,
          QUEUE_TOPIC.MAX_DEPTH,
          QUEUE_TOPIC.MAX_AGE_SECONDS,
          QUEUE_TOPIC.WEIGHT,
          QUEUE_TOPIC.TOPIC);

  private final Transactions transactions;
  private volatile @Nullable Known known;

  public JooqTopicSettingsCache(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public PiggybackQuery question(@Nullable LockId worker) {
    return PiggybackQuery.texts(cancelRequests(worker == null ? "" : worker.value()), this::read);
  }

  @Override
  public void refresh(@Nullable LockId worker) {
    transactions.ask(List.of(question(worker)));
  }

  private static Select<Record1<String>> cancelRequests(String worker) {
    return DSL.select(DSL.concat(DSL.inline(PAUSED), QUEUE_TOPIC.TOPIC).as("change"))
        .from(QUEUE_TOPIC)
        .where(QUEUE_TOPIC.PAUSED.eq((byte) 1))
        .unionAll(
            DSL.select(DSL.concat(DSL.inline(KEPT), QUEUE_TOPIC.TOPIC))
                .from(QUEUE_TOPIC)
                .where(QUEUE_TOPIC.RETENTION_DAYS.isNotNull()))
        .unionAll(
            DSL.select(LIMITS)
                .from(QUEUE_TOPIC)
                .where(QUEUE_TOPIC.MAX_IN_FLIGHT.isNotNull())
                .or(QUEUE_TOPIC.MAX_PER_SECOND.isNotNull())
                .or(QUEUE_TOPIC.MAX_DEPTH.isNotNull())
                .or(QUEUE_TOPIC.MAX_AGE_SECONDS.isNotNull())
                .or(QUEUE_TOPIC.WEIGHT.isNotNull()))
        .unionAll(DSL.select(REQUESTED).from(QUEUE_WORKER).where(QUEUE_WORKER.LOCK_ID.eq(worker)))
        .unionAll(
            DSL.select(CANCELLED)
                .from(QUEUE_CANCEL_REQUEST)
                .leftJoin(QUEUE_MESSAGE.forceIndex("PRIMARY"))
                .on(QUEUE_MESSAGE.ID.eq(QUEUE_CANCEL_REQUEST.MESSAGE_ID))
                .where(QUEUE_MESSAGE.ID.isNull())
                .or(QUEUE_MESSAGE.STATE.ne(DSL.inline(MessageState.CLAIMED)))
                .or(QUEUE_MESSAGE.LOCK_ID.eq(worker)))
        .unionAll(
            DSL.select(DSL.concat(DSL.inline(BATCH), QUEUE_BATCH.ID))
                .from(QUEUE_BATCH.forceIndex("queue_batch_by_cancellation"))
                .where(QUEUE_BATCH.CANCELLED.eq(DSL.inline((byte) 1)))
                .and(QUEUE_BATCH.COMPLETED_AT.isNull()))
        .unionAll(
            DSL.select(DSL.concat(DSL.inline(FULL), QUEUE_DEPTH.TOPIC))
                .from(QUEUE_DEPTH)
                .leftJoin(QUEUE_TOPIC)
                .on(QUEUE_TOPIC.TOPIC.eq(QUEUE_DEPTH.TOPIC))
                .where(QUEUE_DEPTH.IS_FULL.eq(DSL.inline((byte) 1)))
                .and(QUEUE_TOPIC.MAX_DEPTH.isNull())
                .and(QUEUE_TOPIC.MAX_AGE_SECONDS.isNull()));
  }

  private void read(List<String> settings) {
    Set<String> worker = of(WORKER, settings);
    known =
        new Known(
            of(PAUSED, settings),
            of(KEPT, settings),
            limits(of(LIMITED, settings)),
            of(CANCEL, settings).stream().map(PolledCancelRequest::of).toList(),
            of(BATCH, settings).stream().map(Long::valueOf).collect(Collectors.toSet()),
            of(FULL, settings).stream().map(Topic::new).collect(Collectors.toSet()),
            worker.stream().anyMatch(asked -> asked.endsWith("1")),
            worker.stream().anyMatch(asked -> asked.startsWith("1")),
            System.nanoTime());
  }

  private static Set<String> of(String kind, List<String> settings) {
    return settings.stream()
        .filter(request -> request.startsWith(kind))
        .map(request -> request.substring(kind.length()))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static Map<String, Limited> limits(Set<String> texts) {
    return texts.stream()
        .map(text -> text.split(" ", 7))
        .collect(Collectors.toUnmodifiableMap(words -> words[6], Limited::of));
  }

  @Override
  public long readNanos() {
    Known now = known;
    return now == null ? System.nanoTime() - Duration.ofDays(1).toNanos() : now.readNanos;
  }

  @Override
  public boolean isPaused(Topic topic) {
    return known().paused.contains(topic.name());
  }

  @Override
  public boolean isKept(Topic topic) {
    return known().kept.contains(topic.name());
  }

  @Override
  public TopicLimits limits(Topic topic) {
    return limited(topic).limits;
  }

  @Override
  public boolean isWanted(Topic topic) {
    return limited(topic).wanted;
  }

  @Override
  public DepthLimit depthLimit(Topic topic) {
    return limited(topic).depth;
  }

  @Override
  public int weight(Topic topic, int own) {
    Known now = known;
    Integer weight = now == null ? null : limited(topic).weight;
    return weight == null ? own : weight;
  }

  private Limited limited(Topic topic) {
    return known().limited.getOrDefault(topic.name(), Limited.NOT);
  }

  @Override
  public boolean isWorkerPaused() {
    Known now = known;
    return now != null && now.workerPaused;
  }

  @Override
  public boolean isDrainRequested() {
    Known now = known;
    return now != null && now.drainRequested;
  }

  @Override
  public List<PolledCancelRequest> cancelRequests() {
    Known now = known;
    return now == null ? List.of() : now.cancelled;
  }

  @Override
  public Set<Long> cancelledBatches() {
    Known now = known;
    return now == null ? Set.of() : now.batches;
  }

  @Override
  public Set<Topic> fullWithoutLimit() {
    Known now = known;
    return now == null ? Set.of() : now.full;
  }

  private Known known() {
    if (known == null) {
      refresh(null);
    }
    return Objects.requireNonNull(known);
  }

  private record Known(
      Set<String> paused,
      Set<String> kept,
      Map<String, Limited> limited,
      List<PolledCancelRequest> cancelled,
      Set<Long> batches,
      Set<Topic> full,
      boolean workerPaused,
      boolean drainRequested,
      long readNanos) {}

  private record Limited(
      TopicLimits limits, boolean wanted, DepthLimit depth, @Nullable Integer weight) {

    static final Limited NOT = new Limited(TopicLimits.NONE, false, DepthLimit.NONE, null);

    static Limited of(String[] words) {
      Integer age = integer(words[4]);
      return new Limited(
          new TopicLimits(integer(words[0]), integer(words[1])),
          words[2].equals(WANTED),
          new DepthLimit(
              words[3].equals(NO_LIMIT) ? null : Long.valueOf(words[3]),
              age == null ? null : Duration.ofSeconds(age)),
          integer(words[5]));
    }

    private static @Nullable Integer integer(String word) {
      return word.equals(NO_LIMIT) ? null : Integer.valueOf(word);
    }
  }
}
