package io.rowqueue.testkit.internal.contract;

import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.TestWorker;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/**
 * The contracts of what counts in tables of its own, on a database with a mistake in it. No test by
 * its name: {@link PlantedTableMistakesIT} runs it.
 */
class BrokenTables
    implements LimitContract,
        BatchContract,
        ChainContract,
        ResultContract,
        DepthContract,
        BodyContract,
        FormerNameContract {

  /** With the mistake; tests of this class run in one thread. */
  private static @Nullable QueueDatabase database;

  private final TestWorker worker;
  private final ContractQueue queue;

  BrokenTables() {
    QueueDatabase broken = Objects.requireNonNull(database);
    broken.clean();
    this.worker = TestWorker.of(broken);
    this.queue = ContractQueue.of(broken, worker);
  }

  static void use(QueueDatabase broken) {
    database = broken;
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
