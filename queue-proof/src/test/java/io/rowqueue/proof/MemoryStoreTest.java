package io.rowqueue.proof;

import io.rowqueue.body.BodyStore;

class MemoryStoreTest extends BodyStoreContract {

  private final BodyStore store = new MemoryStore();

  @Override
  BodyStore store() {
    return store;
  }
}
