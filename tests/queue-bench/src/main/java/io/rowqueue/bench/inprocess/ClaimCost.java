package io.rowqueue.bench.inprocess;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.util.Modules;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.LockId;
import io.rowqueue.message.Topic;
import io.rowqueue.settle.Settler;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The worker's part of a claim, and of its ack in one group. */
@State(Scope.Thread)
public abstract class ClaimCost {

  private static final LockId ME = LockId.create("bench", 1);

  /** The worker's parts. */
  final Injector injector;

  private final ClaimStrategy strategy;
  private final Settler settler;
  private final ClaimRequest request;
  private final List<Claim> claims;

  /** Of so many messages at once. */
  ClaimCost(int messages) {
    AnsweringServer server = new AnsweringServer(messages);
    injector =
        Guice.createInjector(
            Modules.override(InProcess.worker()).with(InProcess.connections(server)));
    strategy = injector.getInstance(ClaimStrategy.class);
    settler = injector.getInstance(Settler.class);
    request = new ClaimRequest(new Topic(InProcess.TOPIC), ME, messages, 1);
    claims = strategy.claim(request);
    if (claims.size() != messages) {
      throw new IllegalStateException(claims.size() + " were claimed, not " + messages);
    }
  }

  /** Finds, locks, updates, commits. */
  @Benchmark
  public List<Claim> claim() {
    return strategy.claim(request);
  }

  /** Deletes, commits. */
  @Benchmark
  public int ack() {
    return settler.ackAll(claims);
  }
}
