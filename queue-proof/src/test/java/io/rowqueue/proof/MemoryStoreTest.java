package io.rowqueue.proof;

import io.rowqueue.body.BodyStore;
import io.rowqueue.testkit.contract.BodyStoreContract;

class MemoryStoreTest implements BodyStoreContract {

  private final BodyStore store = new MemoryStore();

  @Override
  public BodyStore store() {
    return store;
  }
}
