package io.rowqueue.testkit.internal.memory;

import io.rowqueue.testkit.internal.contract.ContractQueue;
import io.rowqueue.testkit.internal.contract.FanOutContract;
import io.rowqueue.testkit.internal.contract.LifeContract;
import io.rowqueue.testkit.internal.contract.ScheduleContract;
import io.rowqueue.testkit.internal.contract.SkipDeadLetterContract;

/**
 * The contracts on a queue with a mistake in it. No test by its name: {@link PlantedMistakesTest}
 * runs it.
 */
class BrokenQueue
    implements LifeContract, SkipDeadLetterContract, ScheduleContract, FanOutContract {

  /** The mistake; tests of this class run in one thread. */
  private static Rules rules = new Rules();

  private final ContractQueue queue = MemoryParts.queue(rules);

  static void plant(Rules mistake) {
    rules = mistake;
  }

  @Override
  public ContractQueue queue() {
    return queue;
  }
}
