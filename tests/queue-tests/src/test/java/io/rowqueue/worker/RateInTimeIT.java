package io.rowqueue.worker;

import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

@Tag("full")
class RateInTimeIT extends RateIT {

  RateInTimeIT(QueueDatabase database) {
    super(database);
  }

  @Override
  Duration within(Duration promised) {
    return promised;
  }
}
