package io.rowqueue.testkit.internal.memory;

import io.rowqueue.Deduplication;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.operate.DepthLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Deque;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the protocol decides, rule by rule, so that a test can plant a mistake in one of them and
 * see that the contracts find it.
 */
class Rules {

  /** The fence. */
  boolean holds(MemoryRow row, Claim claim) {
    return row.lockId.equals(claim.lockId().value()) && row.claims == claim.number();
  }

  boolean isDue(Instant dueAt, Instant now) {
    return !dueAt.isAfter(now);
  }

  boolean isClaimable(MemoryRow row) {
    return row.state == MessageState.AVAILABLE;
  }

  Comparator<MemoryRow> order() {
    return Comparator.<MemoryRow>comparingInt(row -> row.priority).thenComparingLong(row -> row.id);
  }

  int nextClaimNumber(int number) {
    return number + 1;
  }

  int attemptsAfterFailure(int attempts) {
    return attempts + 1;
  }

  int attemptsAfterRelease(int attempts) {
    return attempts;
  }

  Instant dueAfter(Instant now, Duration wait) {
    return now.plus(wait);
  }

  boolean isLeaseOver(Instant lease, Instant now) {
    return lease.isBefore(now);
  }

  /** The first loss always counts, a later one only if the handling had begun. */
  int lostAfterDeath(MemoryRow row) {
    return row.lost == 0 || row.started ? row.lost + 1 : row.lost;
  }

  boolean hasBegunWhenClaimed(boolean before) {
    return false;
  }

  byte[] redriven(byte[] payload) {
    return payload;
  }

  int attemptsWhenRedriven(int before) {
    return 0;
  }

  int claimNumberWhenRedriven(int before) {
    return before;
  }

  /** Whether a transaction's writes are undone when it is rolled back. */
  boolean undoes() {
    return true;
  }

  boolean mayCancel(MemoryRow row) {
    return MessageState.WAITING.contains(row.state);
  }

  /** Of another ordering key, batch or chain nothing is taken. */
  boolean mayReplace(MemoryRow row, NewMessage message) {
    return Objects.equals(row.orderingKey, message.orderingKey())
        && Objects.equals(row.batchId, message.batchId());
  }

  boolean keepsFailures() {
    return true;
  }

  /** Whether a message in the line of another waits for that. */
  boolean holdsGroups() {
    return true;
  }

  /** Whether a topic's lines step over what has just become a dead letter. */
  boolean skips(Set<Topic> steppingOver, Topic topic) {
    return steppingOver.contains(topic);
  }

  boolean isTriggering(Instant next, Instant now) {
    return !next.isAfter(now);
  }

  /** Whether an operator's schedule outlives what code declares. */
  boolean heedsOverrides() {
    return true;
  }

  boolean getsCopies(boolean paused) {
    return !paused;
  }

  /** The step of a chain that comes now. */
  NewMessage nextStep(Deque<NewMessage> steps) {
    return steps.removeFirst();
  }

  Instant dueOfStep(Instant now, Duration delay) {
    return now.plus(delay);
  }

  boolean countsDeadMembers() {
    return true;
  }

  boolean enqueuesCompletions() {
    return true;
  }

  /** Whether a transaction that has sealed a batch takes that for sealed before its COMMIT. */
  boolean seesOwnSeals() {
    return true;
  }

  boolean isFull(DepthLimit limit, long waiting, Duration oldest, boolean before) {
    return limit.isExceeded(waiting, oldest, before);
  }

  String holderOfSlot(LockId worker) {
    return worker.value();
  }

  /** What a bucket holds when so much was drawn of it. */
  long partsLeft(long held, long drawn) {
    return held - drawn;
  }

  int mostOfAKey(int limit) {
    return limit;
  }

  boolean heedsRatesOfKeys() {
    return true;
  }

  /** What is kept of what a handler gave back. */
  byte @Nullable [] kept(byte @Nullable [] content) {
    return content;
  }

  boolean isResultOver(Instant until, Instant now) {
    return until.isBefore(now);
  }

  /** Whether what holds a deduplication key keeps others out. */
  boolean heedsKeys() {
    return true;
  }

  boolean isWindowOpen(Instant until, Instant now) {
    return until.isAfter(now);
  }

  /** Whether a payload of so many bytes has no place in its row. */
  boolean isExternal(int bytes, int above) {
    return bytes > above;
  }

  /** Whoever replaces a message changes its row only. */
  boolean staysInItsRow(@Nullable Deduplication rule) {
    return rule != null && rule.replaces();
  }

  /** What is laid beside a row. */
  byte[] laid(byte[] bytes) {
    return bytes;
  }

  /** What is found beside a row; null if nothing is there. */
  byte @Nullable [] foundBody(byte @Nullable [] bytes) {
    return bytes;
  }

  /** Whether an enqueue that is rolled back leaves what it has laid beside its row. */
  boolean leavesBodiesBehind() {
    return false;
  }

  /** Whether a payload beside a row is nobody's any more. */
  boolean isAbandoned(boolean queued, boolean dead) {
    return !queued && !dead;
  }

  /** Whether a topic is left alone, of which some are paused. */
  boolean isPaused(Set<Topic> paused, Topic topic) {
    return paused.contains(topic);
  }

  /** The topic of a message as its handler is given it. */
  Topic claimed(Topic topic) {
    return topic;
  }

  /** The topic of a message that was a dead letter. */
  Topic redriven(Topic topic) {
    return topic;
  }

  /** The topic whose limits hold for a topic. */
  Topic limited(Topic topic) {
    return topic;
  }

  /** Whether messages of two topics may stand in one line. */
  boolean isOneLine(Topic topic, Topic other) {
    return topic.equals(other);
  }

  /** Whether a message that has lost so many claims is handled alone. */
  boolean isAlone(int lost, int aloneFrom) {
    return lost >= aloneFrom;
  }
}
