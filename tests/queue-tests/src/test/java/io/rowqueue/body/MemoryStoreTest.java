package io.rowqueue.body;

import io.rowqueue.testkit.contract.BodyStoreContract;
import io.rowqueue.tests.MemoryStore;

class MemoryStoreTest implements BodyStoreContract {

  private final BodyStore store = new MemoryStore();

  @Override
  public BodyStore store() {
    return store;
  }
}
