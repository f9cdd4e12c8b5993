package io.rowqueue.testkit.internal.contract;

import io.rowqueue.testkit.InMemoryQueue;

/** The same contracts as on the servers, all of them. */
class InMemoryContractTest implements QueueContract {

  private final ContractQueue queue = ContractQueue.of(InMemoryQueue.of());

  @Override
  public ContractQueue queue() {
    return queue;
  }
}
