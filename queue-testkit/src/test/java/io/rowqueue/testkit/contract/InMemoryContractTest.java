package io.rowqueue.testkit.contract;

import io.rowqueue.testkit.InMemoryQueue;

/** The same contract as on the servers. */
class InMemoryContractTest implements QueueContract {

  private final ContractQueue queue = ContractQueue.of(InMemoryQueue.of());

  @Override
  public ContractQueue queue() {
    return queue;
  }
}
