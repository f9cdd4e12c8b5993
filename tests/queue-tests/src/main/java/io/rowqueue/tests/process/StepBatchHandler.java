package io.rowqueue.tests.process;

import io.rowqueue.handle.BatchHandler;
import io.rowqueue.handle.Delivery;
import java.util.List;

/** Writes the effects of a whole batch. */
public final class StepBatchHandler implements BatchHandler<Step> {

  private final StepHandler one = new StepHandler();

  @Override
  public void handle(List<Delivery<Step>> batch) throws InterruptedException {
    for (Delivery<Step> each : batch) {
      one.handle(each.payload(), each.context());
    }
  }
}
