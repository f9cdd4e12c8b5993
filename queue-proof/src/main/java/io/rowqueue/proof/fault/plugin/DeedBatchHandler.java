package io.rowqueue.proof.fault.plugin;

import com.google.inject.Inject;
import io.rowqueue.handle.BatchHandler;
import io.rowqueue.handle.Delivery;
import java.sql.SQLException;
import java.util.List;

/** Writes the effects of a whole batch; the first that ends badly ends all. */
final class DeedBatchHandler implements BatchHandler<Deed> {

  private final DeedHandler one;

  @Inject
  DeedBatchHandler(DeedHandler one) {
    this.one = one;
  }

  @Override
  public void handle(List<Delivery<Deed>> batch) throws SQLException {
    for (Delivery<Deed> each : batch) {
      one.handle(each.payload(), each.context());
    }
  }
}
