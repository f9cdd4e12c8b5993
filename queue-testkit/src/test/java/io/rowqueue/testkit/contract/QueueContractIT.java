package io.rowqueue.testkit.contract;

import io.rowqueue.claim.ClaimSettings;
import io.rowqueue.claim.ClaimStrategy.Kind;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.testkit.TestWorker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The whole contract on a real server, with each of the four ways to claim. */
@QueueTest
@ParameterizedClass(name = "{0}")
@EnumSource(Kind.class)
class QueueContractIT implements QueueContract {

  @Parameter private Kind kind = Kind.SKIP_LOCKED;

  private TestWorker worker;
  private ContractQueue queue;

  @BeforeEach
  void begin(QueueDatabase database) {
    ClaimSettings settings = ClaimSettings.defaults().withStrategy(kind);
    worker = TestWorker.of(database, binder -> {}).with(ClaimSettings.class, settings);
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
