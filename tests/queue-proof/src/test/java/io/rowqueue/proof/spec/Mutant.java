package io.rowqueue.proof.spec;

import com.google.common.collect.ImmutableList;
import java.util.HashMap;
import java.util.Map;

/** What RowQueue does not do, and the property that breaks if it did. */
enum Mutant {
  NO_FENCE("TheDeadChangeNothing", "FenceHasLockId", "FenceHasClaimNumber"),
  FENCE_WITHOUT_LOCK_ID("OnlyItsOwnerSettles", "FenceHasLockId"),
  FENCE_WITHOUT_CLAIM_NUMBER("AttemptsAreFailures", "FenceHasClaimNumber"),
  EFFECT_COMMITTED_APART("EffectAtMostOnce", "AckWithEffect"),
  NO_RECONCILE("EverythingIsSettled", "ClaimsAreReconciled"),
  LEASE_BY_THE_LOCAL_CLOCK("NoFalseDeath", "DatabaseClock"),
  DEATH_WITHOUT_GUARD("NoFalseDeath", "DeathIsGuarded"),
  REAP_BEFORE_THE_ROW_FLIPS("TheLivingAreNotReaped", "DeathBeforeReap"),
  REAP_WITHOUT_SECOND_LOOK("TheLivingAreNotReaped", "ReapLooksAgain"),
  EVERY_LOSS_COUNTS("LostAsDocumented", "SuspectsAreMarked"),
  REDRIVE_COUNTS_CLAIMS_ANEW("ClaimsAreGivenOnce", "RedriveKeepsNumber"),
  ROW_BEFORE_LOCK("NoFalseDeath", "LockBeforeRow"),
  ONE_LOOK_AT_A_FREE_LOCK("NoFalseDeath", "SecondLook"),
  NO_SERVER_IDENTITY("NoFalseDeath", "ServerIdentity"),
  LOCK_TAKEN_AGAIN_UNTOLD("NoFalseDeath", "TellMovesLease"),
  LOCK_DEATH_WITHOUT_GUARD("NoFalseDeath", "DeathIsGuarded");

  private final String broken;
  private final ImmutableList<String> switchedOff;

  Mutant(String broken, String... switchedOff) {
    this.broken = broken;
    this.switchedOff = ImmutableList.copyOf(switchedOff);
  }

  /** The invariant, or the liveness property, that must break. */
  String broken() {
    return broken;
  }

  /** Whether that only breaks by something that never happens. */
  boolean liveness() {
    return this == NO_RECONCILE;
  }

  /** The module that specifies it. */
  String module() {
    return compareTo(ROW_BEFORE_LOCK) < 0 ? "RowQueue" : "LivenessLock";
  }

  /** The configuration that holds without the mutation. */
  String configuration() {
    return liveness() ? "RowQueueLiveness" : module();
  }

  /** What the configuration must have otherwise. */
  Map<String, String> constants() {
    Map<String, String> constants = new HashMap<>();
    switchedOff.forEach(one -> constants.put(one, "FALSE"));
    if (this == REDRIVE_COUNTS_CLAIMS_ANEW) {
      // A dead letter at the first failure needs no deep search.
      constants.put("MaxAttempts", "1");
    }
    return constants;
  }
}
