package io.rowqueue.worker.internal.doctor;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** Checks the first messages of each state: clock skew in their timestamps, and repeated claims. */
final class MessageChecks {

  private static final int MOST_EXAMINED = 10_000;

  /** More releases than any plausible sequence of deployments causes. */
  private static final int MANY_CLAIMS = 20;

  private static final Field<Long> AHEAD_SECONDS =
      DSL.field(
          "TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(6), {0})", Long.class, QUEUE_MESSAGE.UPDATED_AT);

  private static final String MEND =
      "UPDATE queue_message SET due_at = due_at - INTERVAL TIMESTAMPDIFF(MICROSECOND,"
          + " UTC_TIMESTAMP(6), updated_at) MICROSECOND, updated_at = UTC_TIMESTAMP(6) WHERE state"
          + " = 2 AND claim_number > 0 AND updated_at > UTC_TIMESTAMP(6) + INTERVAL 10 SECOND";

  private final Transactions transactions;

  MessageChecks(Transactions transactions) {
    this.transactions = transactions;
  }

  /** Checks whether the server's clock was ahead, so that retries wait for its old time. */
  List<Finding> times() {
    List<Seen> examined = first(MessageState.SCHEDULED);
    List<Seen> ahead =
        examined.stream()
            .filter(seen -> seen.aheadSeconds > DatabaseClock.MOST_APART.toSeconds())
            .toList();
    return List.of(
        ahead.isEmpty()
            ? none(
                "times",
                "scheduled messages have no timestamp in the future",
                examined.size() == MOST_EXAMINED)
            : Finding.warning(
                "times",
                "waiting messages with a timestamp in the future: %d, such as message %d of '%s', by %s: the server's clock was ahead and has been set back"
                    .formatted(
                        ahead.size(),
                        ahead.get(0).id,
                        ahead.get(0).topic,
                        Finding.duration(Duration.ofSeconds(ahead.get(0).aheadSeconds))),
                "make failed messages due now: "
                    + MEND
                    + "; messages delayed by producers have claim_number = 0 and wait for the time"
                    + " that they got"));
  }

  /** Checks for messages that are claimed repeatedly without an attempt. */
  List<Finding> claims() {
    List<List<Seen>> examined =
        Stream.of(MessageState.CLAIMED, MessageState.AVAILABLE, MessageState.SCHEDULED)
            .map(this::first)
            .toList();
    List<Seen> often =
        examined.stream()
            .flatMap(List::stream)
            .filter(seen -> seen.uncounted >= MANY_CLAIMS)
            .toList();
    return List.of(
        often.isEmpty()
            ? none(
                "claims",
                "claimed, available and scheduled messages are not released repeatedly",
                examined.stream().anyMatch(state -> state.size() == MOST_EXAMINED))
            : Finding.warning(
                "claims",
                "%d released %d or more times without an attempt, such as message %d of '%s', %d times"
                    .formatted(
                        often.size(),
                        MANY_CLAIMS,
                        often.get(0).id,
                        often.get(0).topic,
                        often.get(0).uncounted),
                "see the workers' logs: its handler releases it, or needs longer"
                    + " than --shutdown-timeout where workers stop often, or its settlement is"
                    + " refused"));
  }

  private static Finding none(String subject, String found, boolean cut) {
    return Finding.ok(
        subject,
        cut ? "%s, among the first %,d of each state".formatted(found, MOST_EXAMINED) : found);
  }

  private List<Seen> first(byte state) {
    return transactions
        .read(
            dsl ->
                dsl.select(
                        QUEUE_MESSAGE.ID,
                        QUEUE_MESSAGE.TOPIC,
                        QUEUE_MESSAGE.CLAIM_NUMBER,
                        QUEUE_MESSAGE.ATTEMPTS,
                        QUEUE_MESSAGE.LOST_CLAIMS,
                        AHEAD_SECONDS)
                    .from(QUEUE_MESSAGE.forceIndex("queue_message_due"))
                    .where(QUEUE_MESSAGE.STATE.eq(state))
                    .orderBy(QUEUE_MESSAGE.DUE_AT, QUEUE_MESSAGE.ID)
                    .limit(MOST_EXAMINED)
                    .fetch())
        .stream()
        .map(
            row ->
                new Seen(
                    row.value1(),
                    row.value2(),
                    row.value3() - row.value4() - row.value5(),
                    row.value6()))
        .toList();
  }

  /** A message, its claims without an attempt, and how far its last change is in the future. */
  private record Seen(long id, String topic, int uncounted, long aheadSeconds) {}
}
