package io.rowqueue.testkit.internal.contract;

import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.testkit.TestWorker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The whole contract on a real server, which claims as it is by default. */
@QueueTest
class QueueContractIT implements QueueContract {

  private TestWorker worker;
  private ContractQueue queue;

  @BeforeEach
  void begin(QueueDatabase database) {
    worker = TestWorker.of(database);
    queue = ContractQueue.of(database, worker);
  }

  @AfterEach
  void end() {
    worker.close();
  }

  @Override
  public ContractQueue queue() {
    return queue;
  }
}
