package io.rowqueue.limit;

import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Tag;

@Tag("full")
class KeyLimitsInTimeIT extends KeyLimitsIT {

  KeyLimitsInTimeIT(QueueDatabase database) {
    super(database);
  }

  @Override
  Duration within(Duration promised) {
    return promised;
  }
}
