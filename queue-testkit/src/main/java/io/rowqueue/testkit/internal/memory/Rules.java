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
 * The decisions of the protocol, as separate methods, so that tests can plant a mistake in one of
 * them and check that the contracts find it.
 */
class Rules {

  /** The fencing check. */
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

  /** The first loss always counts, a later one only if the handler had started. */
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

  /** Returns whether rolling a transaction back undoes its writes. */
  boolean undoes() {
    return true;
  }

  boolean mayCancel(MemoryRow row) {
    return MessageState.WAITING.contains(row.state);
  }

  /** A message of another ordering key, batch or chain is not replaced. */
  boolean mayReplace(MemoryRow row, NewMessage message) {
    return Objects.equals(row.orderingKey, message.orderingKey())
        && Objects.equals(row.batchId, message.batchId());
  }

  boolean keepsFailures() {
    return true;
  }

  /** Returns whether a message of an ordering key waits for another one. */
  boolean holdsGroups() {
    return true;
  }

  /** Returns whether a topic's ordering keys skip a new dead letter. */
  boolean skips(Set<Topic> steppingOver, Topic topic) {
    return steppingOver.contains(topic);
  }

  boolean isTriggering(Instant next, Instant now) {
    return !next.isAfter(now);
  }

  /** Returns whether an operator's override outlives the declaration in code. */
  boolean heedsOverrides() {
    return true;
  }

  boolean getsCopies(boolean paused) {
    return !paused;
  }

  /** Returns a chain's next step. */
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

  /** Returns whether a transaction that has closed a batch sees it as closed before its COMMIT. */
  boolean seesOwnSeals() {
    return true;
  }

  boolean isFull(DepthLimit limit, long waiting, Duration oldest, boolean before) {
    return limit.isExceeded(waiting, oldest, before);
  }

  String holderOfSlot(LockId worker) {
    return worker.value();
  }

  /** Returns a bucket's level after tokens were drawn. */
  long partsLeft(long held, long drawn) {
    return held - drawn;
  }

  int mostOfAKey(int limit) {
    return limit;
  }

  boolean hasKeyRates() {
    return true;
  }

  /** Returns the stored part of a handler's result. */
  byte @Nullable [] kept(byte @Nullable [] content) {
    return content;
  }

  boolean isResultOver(Instant until, Instant now) {
    return until.isBefore(now);
  }

  /** Returns whether the holder of a deduplication key rejects others. */
  boolean heedsKeys() {
    return true;
  }

  boolean isWindowOpen(Instant until, Instant now) {
    return until.isAfter(now);
  }

  /** Returns whether a payload of this size is too large for its row. */
  boolean isExternal(int bytes, int above) {
    return bytes > above;
  }

  /** Replacing a message changes its row only. */
  boolean staysInItsRow(@Nullable Deduplication rule) {
    return rule != null && rule.replaces();
  }

  /** Returns the payload to store separately. */
  byte[] laid(byte[] bytes) {
    return bytes;
  }

  /** Returns the separately stored payload; null if there is none. */
  byte @Nullable [] foundBody(byte @Nullable [] bytes) {
    return bytes;
  }

  /** Returns whether a rolled back enqueue leaves its separately stored payload. */
  boolean leavesBodiesBehind() {
    return false;
  }

  /** Returns whether a separately stored payload is orphaned. */
  boolean isAbandoned(boolean queued, boolean dead) {
    return !queued && !dead;
  }

  /** Returns whether a topic is paused. */
  boolean isPaused(Set<Topic> paused, Topic topic) {
    return paused.contains(topic);
  }

  /** Returns the topic of a message as passed to its handler. */
  Topic claimed(Topic topic) {
    return topic;
  }

  /** Returns the topic of a redriven message. */
  Topic redriven(Topic topic) {
    return topic;
  }

  /** Returns the topic whose limits apply to a topic. */
  Topic limited(Topic topic) {
    return topic;
  }

  /** Returns whether messages of two topics may share an ordering key. */
  boolean isOneGroup(Topic topic, Topic other) {
    return topic.equals(other);
  }

  /** Returns whether a message with this many lost claims is processed alone. */
  boolean isAlone(int lost, int aloneFrom) {
    return lost >= aloneFrom;
  }
}
