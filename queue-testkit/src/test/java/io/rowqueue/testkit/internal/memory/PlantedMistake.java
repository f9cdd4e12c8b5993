package io.rowqueue.testkit.internal.memory;

import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.MessageState;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Set;

/** What somebody may get wrong in a queue. */
enum PlantedMistake {
  FENCE_IGNORED(
      new Rules() {
        @Override
        boolean holds(MemoryRow row, Claim claim) {
          return true;
        }
      }),
  FENCE_WITHOUT_LOCK_ID(
      new Rules() {
        @Override
        boolean holds(MemoryRow row, Claim claim) {
          return row.claims == claim.number() && row.state == MessageState.CLAIMED;
        }
      }),
  FENCE_WITHOUT_CLAIM_NUMBER(
      new Rules() {
        @Override
        boolean holds(MemoryRow row, Claim claim) {
          return row.lockId.equals(claim.lockId().value());
        }
      }),
  FENCE_LETS_EARLIER_CLAIMS_THROUGH(
      new Rules() {
        @Override
        boolean holds(MemoryRow row, Claim claim) {
          return row.lockId.equals(claim.lockId().value()) && claim.number() <= row.claims;
        }
      }),
  DUE_TIME_IGNORED(
      new Rules() {
        @Override
        boolean isDue(Instant dueAt, Instant now) {
          return true;
        }
      }),
  DUE_ONE_MILLISECOND_TOO_LATE(
      new Rules() {
        @Override
        boolean isDue(Instant dueAt, Instant now) {
          return dueAt.plusMillis(1).isBefore(now) || dueAt.plusMillis(1).equals(now);
        }
      }),
  SCHEDULED_IS_CLAIMED(
      new Rules() {
        @Override
        boolean isClaimable(MemoryRow row) {
          return row.state == MessageState.AVAILABLE || row.state == MessageState.SCHEDULED;
        }
      }),
  CLAIMED_IS_CLAIMED_AGAIN(
      new Rules() {
        @Override
        boolean isClaimable(MemoryRow row) {
          return row.state == MessageState.AVAILABLE || row.state == MessageState.CLAIMED;
        }
      }),
  PRIORITY_REVERSED(
      new Rules() {
        @Override
        Comparator<MemoryRow> order() {
          return Comparator.<MemoryRow>comparingInt(row -> -row.priority)
              .thenComparingLong(row -> row.id);
        }
      }),
  PRIORITY_IGNORED(
      new Rules() {
        @Override
        Comparator<MemoryRow> order() {
          return Comparator.comparingLong(row -> row.id);
        }
      }),
  YOUNGEST_FIRST(
      new Rules() {
        @Override
        Comparator<MemoryRow> order() {
          return Comparator.<MemoryRow>comparingInt(row -> row.priority)
              .thenComparingLong(row -> -row.id);
        }
      }),
  CLAIM_NUMBER_NOT_RAISED(
      new Rules() {
        @Override
        int nextClaimNumber(int number) {
          return 1;
        }
      }),
  ATTEMPTS_NOT_COUNTED(
      new Rules() {
        @Override
        int attemptsAfterFailure(int attempts) {
          return attempts;
        }
      }),
  RELEASE_COUNTS_AN_ATTEMPT(
      new Rules() {
        @Override
        int attemptsAfterRelease(int attempts) {
          return attempts + 1;
        }
      }),
  BACKOFF_IGNORED(
      new Rules() {
        @Override
        Instant dueAfter(Instant now, Duration wait) {
          return now;
        }
      }),
  REAPED_TOO_EARLY(
      new Rules() {
        @Override
        boolean isLeaseOver(Instant lease, Instant now) {
          return lease.minusSeconds(1).isBefore(now);
        }
      }),
  NEVER_DECLARED_DEAD(
      new Rules() {
        @Override
        boolean isLeaseOver(Instant lease, Instant now) {
          return false;
        }
      }),
  LOSSES_NOT_COUNTED(
      new Rules() {
        @Override
        int lostAfterDeath(MemoryRow row) {
          return row.lost;
        }
      }),
  UNSTARTED_LOSSES_COUNTED(
      new Rules() {
        @Override
        int lostAfterDeath(MemoryRow row) {
          return row.lost + 1;
        }
      }),
  BEGIN_REMEMBERED_FROM_CLAIM_TO_CLAIM(
      new Rules() {
        @Override
        boolean hasBegunWhenClaimed(boolean before) {
          return before;
        }
      }),
  REDRIVE_LOSES_THE_PAYLOAD(
      new Rules() {
        @Override
        byte[] redriven(byte[] payload) {
          return new byte[] {'{', '}'};
        }
      }),
  REDRIVE_KEEPS_ATTEMPTS(
      new Rules() {
        @Override
        int attemptsWhenRedriven(int before) {
          return before;
        }
      }),
  REDRIVE_RESETS_THE_CLAIM_NUMBER(
      new Rules() {
        @Override
        int claimNumberWhenRedriven(int before) {
          return 0;
        }
      }),
  ROLLBACK_COMMITS(
      new Rules() {
        @Override
        boolean undoes() {
          return false;
        }
      }),
  CLAIMED_CAN_BE_CANCELLED(
      new Rules() {
        @Override
        boolean mayCancel(MemoryRow row) {
          return true;
        }
      }),
  FAILURES_NOT_KEPT(
      new Rules() {
        @Override
        boolean keepsFailures() {
          return false;
        }
      }),
  LINES_IGNORED(
      new Rules() {
        @Override
        boolean holdsGroups() {
          return false;
        }
      }),
  KEYS_IGNORED(
      new Rules() {
        @Override
        boolean heedsKeys() {
          return false;
        }
      }),
  REPLACES_WHAT_HAS_ANOTHER_ORDERING_KEY(
      new Rules() {
        @Override
        boolean mayReplace(MemoryRow row, NewMessage message) {
          return true;
        }
      }),
  NEVER_SET_ASIDE(
      new Rules() {
        @Override
        boolean skips(Set<Topic> steppingOver, Topic topic) {
          return false;
        }
      }),
  ALWAYS_SET_ASIDE(
      new Rules() {
        @Override
        boolean skips(Set<Topic> steppingOver, Topic topic) {
          return true;
        }
      }),
  FIRED_TOO_EARLY(
      new Rules() {
        @Override
        boolean isTriggering(Instant next, Instant now) {
          return !next.isAfter(now.plusSeconds(1));
        }
      }),
  FIRED_TOO_LATE(
      new Rules() {
        @Override
        boolean isTriggering(Instant next, Instant now) {
          return next.isBefore(now);
        }
      }),
  OVERRIDES_IGNORED(
      new Rules() {
        @Override
        boolean heedsOverrides() {
          return false;
        }
      }),
  MUTED_GETS_COPIES(
      new Rules() {
        @Override
        boolean getsCopies(boolean paused) {
          return true;
        }
      }),
  WINDOW_NEVER_ENDS(
      new Rules() {
        @Override
        boolean isWindowOpen(Instant until, Instant now) {
          return true;
        }
      }),
  SUSPECTS_TAKEN_TOGETHER(
      new Rules() {
        @Override
        boolean isAlone(int lost, int aloneFrom) {
          return false;
        }
      });

  @SuppressWarnings("ImmutableEnumChecker") // rules have no state
  private final Rules rules;

  PlantedMistake(Rules rules) {
    this.rules = rules;
  }

  Rules rules() {
    return rules;
  }
}
