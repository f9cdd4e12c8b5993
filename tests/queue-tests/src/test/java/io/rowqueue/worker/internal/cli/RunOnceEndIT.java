package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.multibindings.Multibinder;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.OwnThreads;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.WorkerService;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How a single run ends that does not end by itself, and a start that fails. */
@ExtendWith(OwnThreads.class)
@QueueTest
class RunOnceEndIT {

  @BeforeEach
  void openBooks(QueueDatabase database) {
    Orders.openBooks(database);
  }

  private static void assertNothingClaimed(QueueDatabase database) {
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE state = 1")).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
  }

  @Test
  void start_serviceThatFails_hasClaimedNothing(QueueDatabase database) {
    Claiming claiming = new Claiming();
    TestWorker worker =
        TestWorker.create(
            database,
            config -> config,
            Handlers.bind("order", Orders::write),
            binder ->
                Multibinder.newSetBinder(binder, WorkerService.class)
                    .addBinding()
                    .toInstance(claiming));
    assertThatThrownBy(worker.worker()::start).hasMessage("the service fails");
    assertThat(claiming.claimers).isEmpty();
    assertNothingClaimed(database);
  }

  /** Fails after it has looked for the thread that claims. */
  private static final class Claiming implements WorkerService {
    private final List<String> claimers = new ArrayList<>();

    @Override
    public void running() {
      OwnThreads.living().stream()
          .map(Thread::getName)
          .filter(name -> name.startsWith("queue-claimer"))
          .forEach(claimers::add);
      throw new IllegalStateException("the service fails");
    }
  }
}
