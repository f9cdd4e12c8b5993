package io.rowqueue.internal.body;

import io.rowqueue.spi.BodyStore;
import io.rowqueue.testkit.BodyStoreContract;
import io.rowqueue.tests.MemoryStore;

class MemoryStoreTest implements BodyStoreContract {

  private final BodyStore store = new MemoryStore();

  @Override
  public BodyStore store() {
    return store;
  }
}
