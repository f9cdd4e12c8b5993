package io.rowqueue.proof.fault;

import io.rowqueue.tests.process.Wire.Loss;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.random.RandomGenerator;

/** What happens between a worker and the server. */
final class WireFaults {

  private static final int BEYOND_THE_LEASE_MILLIS = 4_000;
  private static final long LONGEST_WAIT_SECONDS = 2;

  private WireFaults() {}

  /** Every connection of a worker is cut. */
  static Set<Long> cut(Cluster cluster, RandomGenerator random) {
    Cluster.Worker victim = cluster.victim(random);
    victim.wire().cut();
    return Set.of(victim.pid());
  }

  /** Every packet and every answer takes longer. */
  static Set<Long> delay(Cluster cluster, RandomGenerator random) {
    Cluster.Worker victim = cluster.victim(random);
    victim.wire().delay(Duration.ofMillis(1 + random.nextInt(60)));
    Client.pause(200, 1_500, random);
    victim.wire().delay(Duration.ZERO);
    return Set.of(victim.pid());
  }

  /** Nothing goes through, for longer than the lease, and then all that was held up. */
  static Set<Long> freeze(Cluster cluster, RandomGenerator random) {
    Cluster.Worker victim = cluster.victim(random);
    victim.wire().freeze();
    try {
      Client.pause(BEYOND_THE_LEASE_MILLIS + random.nextInt(1_000));
    } finally {
      victim.wire().thaw();
    }
    return Set.of(victim.pid());
  }

  /** The server has forgotten connections that the worker believes in. */
  static Set<Long> halfOpen(Cluster cluster, RandomGenerator random) {
    Cluster.Worker victim = cluster.victim(random);
    victim.wire().forgetClients();
    return Set.of(victim.pid());
  }

  /** A COMMIT is lost on its way, or its answer is. */
  static Set<Long> loseCommit(Cluster cluster, RandomGenerator random)
      throws InterruptedException, ExecutionException {
    Cluster.Worker victim = cluster.victim(random);
    Loss how = random.nextBoolean() ? Loss.BEFORE_THE_SERVER : Loss.BEFORE_THE_CLIENT;
    victim.wire().loseNextCommit(how);
    try {
      victim.wire().lost().get(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      victim.wire().keepCommits();
    }
    return Set.of(victim.pid());
  }
}
