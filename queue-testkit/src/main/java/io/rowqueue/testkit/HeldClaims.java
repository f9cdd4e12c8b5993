package io.rowqueue.testkit;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.claim.PollResult;
import io.rowqueue.internal.database.PiggybackQuery;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/** The claims of a test without a database, with payloads in memory. */
final class HeldClaims implements ClaimStore {

  @Override
  public void start(Claim claim) {}

  @Override
  public Claim load(Claim claim) {
    return claim;
  }

  @Override
  public PollResult poll(Collection<Topic> topics) {
    throw noQueue();
  }

  @Override
  public PollResult poll(Collection<Topic> topics, List<PiggybackQuery> aside) {
    throw noQueue();
  }

  @Override
  public int promote(int limit) {
    return 0;
  }

  @Override
  public int release(Collection<Claim> claims) {
    return 0;
  }

  @Override
  public int reconcile(LockId lockId, Set<ClaimKey> known) {
    return 0;
  }

  private static UnsupportedOperationException noQueue() {
    return new UnsupportedOperationException("a tested handler has no queue");
  }
}
