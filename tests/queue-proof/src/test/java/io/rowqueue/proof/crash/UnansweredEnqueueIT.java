package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.process.Wire;
import io.rowqueue.tests.process.Wire.Loss;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

@QueueTest
class UnansweredEnqueueIT {

  private static final String ALL = "SELECT COUNT(*) FROM queue_message";

  private final List<NewMessage> messages =
      Collections.nCopies(20, NewMessage.of("order", "payload"));

  @Test
  void enqueue_committedAndNotAnswered_isThereOnce(QueueDatabase database) throws IOException {
    try (Wire wire = Wire.to(database.url())) {
      wire.loseNextCommit(Loss.BEFORE_THE_CLIENT);
      assertOutcomeUnknown(wire, database);
    }
    assertThat(database.count(ALL)).isEqualTo(20);
  }

  @Test
  void enqueue_lostOnItsWay_isNotThere(QueueDatabase database) throws IOException {
    try (Wire wire = Wire.to(database.url())) {
      wire.loseNextCommit(Loss.BEFORE_THE_SERVER);
      assertOutcomeUnknown(wire, database);
    }
    assertThat(database.count(ALL)).isZero();
  }

  private void assertOutcomeUnknown(Wire wire, QueueDatabase database) {
    MysqlDataSource dataSource = new MysqlDataSource();
    dataSource.setUrl(wire.through(database.url()));
    assertThatThrownBy(() -> MessageProducer.create().enqueueAll(dataSource, messages))
        .isInstanceOf(EnqueueOutcomeUnknownException.class)
        .hasMessageContaining("all of them are in the queue, or none");
  }
}
