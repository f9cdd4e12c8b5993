package io.rowqueue.example.docs;

import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.testkit.TestWorker;
import io.rowqueue.testkit.internal.contract.ClaimContract;
import io.rowqueue.testkit.internal.contract.ContractQueue;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

// snippet: contract
@QueueTest
class ContractSnippetsIT implements ClaimContract {

  /** Counts what is claimed, and leaves the rest to another. */
  record CountedStrategy(ClaimStrategy real, AtomicLong claimed) implements ClaimStrategy {
    @Override
    public List<Claim> claim(ClaimRequest request) {
      List<Claim> claims = real.claim(request);
      claimed.addAndGet(claims.size());
      return claims;
    }
  }

  private TestWorker plain;
  private TestWorker worker;
  private ContractQueue queue;

  @BeforeEach
  void begin(QueueDatabase database) {
    plain = TestWorker.of(database);
    ClaimStrategy ours = new CountedStrategy(plain.get(ClaimStrategy.class), new AtomicLong());
    worker = TestWorker.of(database).with(ClaimStrategy.class, ours);
    queue = ContractQueue.of(database, worker);
  }

  @AfterEach
  void end() {
    worker.close();
    plain.close();
  }

  @Override
  public ContractQueue queue() {
    return queue;
  }
}
// end snippet
