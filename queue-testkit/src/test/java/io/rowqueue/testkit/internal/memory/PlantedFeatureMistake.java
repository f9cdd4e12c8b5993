package io.rowqueue.testkit.internal.memory;

import io.rowqueue.Deduplication;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.operate.DepthLimit;
import io.rowqueue.testkit.internal.contract.Feature;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Deque;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What somebody may get wrong in a queue beyond the life of a message. */
enum PlantedFeatureMistake {
  STEPS_REVERSED(
      Feature.CHAINS,
      new Rules() {
        @Override
        NewMessage nextStep(Deque<NewMessage> steps) {
          return steps.removeLast();
        }
      }),
  DELAY_OF_A_STEP_IGNORED(
      Feature.CHAINS,
      new Rules() {
        @Override
        Instant dueOfStep(Instant now, Duration delay) {
          return now;
        }
      }),
  DEAD_MEMBER_UNCOUNTED(
      Feature.BATCHES,
      new Rules() {
        @Override
        boolean countsDeadMembers() {
          return false;
        }
      }),
  COMPLETION_FORGOTTEN(
      Feature.BATCHES,
      new Rules() {
        @Override
        boolean enqueuesCompletions() {
          return false;
        }
      }),
  SEAL_SEEN_AFTER_ITS_COMMIT_ONLY(
      Feature.BATCHES,
      new Rules() {
        @Override
        boolean seesOwnSeals() {
          return false;
        }
      }),
  FULL_FOR_EVER(
      Feature.DEPTH,
      new Rules() {
        @Override
        boolean isFull(DepthLimit limit, long waiting, Duration oldest, boolean before) {
          return before || super.isFull(limit, waiting, oldest, before);
        }
      }),
  AGE_IGNORED(
      Feature.DEPTH,
      new Rules() {
        @Override
        boolean isFull(DepthLimit limit, long waiting, Duration oldest, boolean before) {
          return super.isFull(new DepthLimit(limit.depth(), null), waiting, oldest, before);
        }
      }),
  SLOT_IS_NOBODYS(
      Feature.LIMITS,
      new Rules() {
        @Override
        String holderOfSlot(LockId worker) {
          return "";
        }
      }),
  BUCKET_KEEPS_ITS_TOKENS(
      Feature.LIMITS,
      new Rules() {
        @Override
        long partsLeft(long held, long drawn) {
          return held;
        }
      }),
  KEY_LIMIT_IGNORED(
      Feature.LIMITS,
      new Rules() {
        @Override
        int mostOfAKey(int limit) {
          return 1;
        }
      }),
  KEY_RATE_IGNORED(
      Feature.LIMITS,
      new Rules() {
        @Override
        boolean hasKeyRates() {
          return false;
        }
      }),
  RESULT_LOST(
      Feature.RESULTS,
      new Rules() {
        @Override
        byte @Nullable [] kept(byte @Nullable [] content) {
          return null;
        }
      }),
  RESULT_OVER_TOO_EARLY(
      Feature.RESULTS,
      new Rules() {
        @Override
        boolean isResultOver(Instant until, Instant now) {
          return !until.isAfter(now);
        }
      }),
  THRESHOLD_MET_TOO_EARLY(
      Feature.BODIES,
      new Rules() {
        @Override
        boolean isExternal(int bytes, int above) {
          return bytes >= above;
        }
      }),
  NOTHING_LIES_BESIDE_ITS_ROW(
      Feature.BODIES,
      new Rules() {
        @Override
        boolean isExternal(int bytes, int above) {
          return false;
        }
      }),
  REPLACED_PAYLOAD_LEFT_BESIDE_ITS_ROW(
      Feature.BODIES,
      new Rules() {
        @Override
        boolean staysInItsRow(@Nullable Deduplication rule) {
          return false;
        }
      }),
  BODY_CUT(
      Feature.BODIES,
      new Rules() {
        @Override
        byte[] laid(byte[] bytes) {
          return Arrays.copyOf(bytes, Math.min(bytes.length, 256 << 10));
        }
      }),
  MISSING_BODY_IS_EMPTY(
      Feature.BODIES,
      new Rules() {
        @Override
        byte @Nullable [] foundBody(byte @Nullable [] bytes) {
          return bytes == null ? new byte[0] : bytes;
        }
      }),
  ROLLED_BACK_BODY_STAYS(
      Feature.BODIES,
      new Rules() {
        @Override
        boolean leavesBodiesBehind() {
          return true;
        }
      }),
  BODY_NEVER_SWEPT(
      Feature.BODIES,
      new Rules() {
        @Override
        boolean isAbandoned(boolean queued, boolean dead) {
          return false;
        }
      }),
  BODY_OF_A_DEAD_LETTER_SWEPT(
      Feature.BODIES,
      new Rules() {
        @Override
        boolean isAbandoned(boolean queued, boolean dead) {
          return !queued;
        }
      }),
  BODY_OF_A_MESSAGE_SWEPT(
      Feature.BODIES,
      new Rules() {
        @Override
        boolean isAbandoned(boolean queued, boolean dead) {
          return !dead;
        }
      }),
  CLAIM_IS_OF_THE_NEW_NAME(
      Feature.FORMER_NAMES,
      new Rules() {
        @Override
        Topic claimed(Topic topic) {
          return new Topic("orders");
        }
      }),
  REDRIVEN_UNDER_THE_NEW_NAME(
      Feature.FORMER_NAMES,
      new Rules() {
        @Override
        Topic redriven(Topic topic) {
          return new Topic("orders");
        }
      }),
  PAUSE_TAKES_BOTH_NAMES(
      Feature.FORMER_NAMES,
      new Rules() {
        @Override
        boolean isPaused(Set<Topic> paused, Topic topic) {
          return !paused.isEmpty();
        }
      }),
  PAUSE_FORGOTTEN(
      Feature.FORMER_NAMES,
      new Rules() {
        @Override
        boolean isPaused(Set<Topic> paused, Topic topic) {
          return false;
        }
      }),
  LIMIT_TAKES_BOTH_NAMES(
      Feature.FORMER_NAMES,
      new Rules() {
        @Override
        Topic limited(Topic topic) {
          return new Topic("orders");
        }
      }),
  LINE_OF_BOTH_NAMES(
      Feature.FORMER_NAMES,
      new Rules() {
        @Override
        boolean isOneGroup(Topic topic, Topic other) {
          return true;
        }
      });

  private final Feature feature;

  @SuppressWarnings("ImmutableEnumChecker") // rules have no state
  private final Rules rules;

  PlantedFeatureMistake(Feature feature, Rules rules) {
    this.feature = feature;
    this.rules = rules;
  }

  /** Whose contract has to find it. */
  Feature feature() {
    return feature;
  }

  Rules rules() {
    return rules;
  }
}
