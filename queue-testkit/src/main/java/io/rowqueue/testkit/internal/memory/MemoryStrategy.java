package io.rowqueue.testkit.internal.memory;

import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.MessageState;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Claims available messages in order. */
final class MemoryStrategy implements ClaimStrategy {

  private final Memory memory;

  MemoryStrategy(Memory memory) {
    this.memory = memory;
  }

  @Override
  public List<Claim> claim(ClaimRequest request) {
    synchronized (memory) {
      List<Claim> claims = new ArrayList<>();
      int alone = 0;
      for (MemoryRow row : available(request)) {
        boolean isAlone = memory.rules.isAlone(row.lost, request.aloneFrom());
        if (claims.size() < request.limit() && (!isAlone || alone < request.mostAlone())) {
          alone += isAlone ? 1 : 0;
          claims.add(take(row, request.lockId().value()));
        }
      }
      return claims;
    }
  }

  private List<MemoryRow> available(ClaimRequest request) {
    return memory.rows.values().stream()
        .filter(row -> row.topic.equals(request.topic()) && memory.rules.isClaimable(row))
        .sorted(memory.rules.order())
        .toList();
  }

  private Claim take(MemoryRow row, String lockId) {
    Instant now = memory.now();
    row.state = MessageState.CLAIMED;
    row.lockId = lockId;
    row.claims = memory.rules.nextClaimNumber(row.claims);
    row.started = memory.rules.hasBegunWhenClaimed(row.started);
    row.updatedAt = now;
    return row.claim(now, memory.rules.claimed(row.topic));
  }
}
