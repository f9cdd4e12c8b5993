package io.rowqueue.testkit.internal.contract;

import io.rowqueue.ClaimSettings;
import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.testkit.TestWorker;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The life of a message with each of the claim strategies that {@link QueueContractIT} does not
 * take; {@link StrategyFeaturesIT} adds the features.
 */
@QueueTest
@ParameterizedClass(name = "{0}")
@EnumSource(value = Kind.class, mode = EnumSource.Mode.EXCLUDE, names = "SKIP_LOCKED")
class StrategyContractIT implements LifeContract {

  @Parameter private Kind kind = Kind.UPDATE_LIMIT;

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
