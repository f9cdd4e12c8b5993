package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.MessageId;
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

  private static final String INSERT = "INSERT INTO queue_message";
  private static final String STEP = "SELECT @@auto_increment_increment";

  private static final NewMessage PLAIN = NewMessage.of("order", "payload");

  /** It needs a transaction. */
  private static final NewMessage ORDERED = PLAIN.withOrderingKey("key");

  private final QueueDatabase database;

  UnansweredEnqueueIT(QueueDatabase database) {
    this.database = database;
  }

  @Test
  void enqueue_committedAndNotAnswered_isThereOnce() throws IOException {
    try (Wire wire = Wire.to(database.url())) {
      wire.loseNextCommit(Loss.BEFORE_THE_CLIENT);
      assertOutcomeUnknown(wire, ORDERED);
    }
    assertThat(database.count(ALL)).isEqualTo(20);
  }

  @Test
  void enqueue_lostOnItsWay_isNotThere() throws IOException {
    try (Wire wire = Wire.to(database.url())) {
      wire.loseNextCommit(Loss.BEFORE_THE_SERVER);
      assertOutcomeUnknown(wire, ORDERED);
    }
    assertThat(database.count(ALL)).isZero();
  }

  @Test
  void insert_committedAndNotAnswered_isThereOnce() throws IOException {
    try (Wire wire = Wire.to(database.url())) {
      wire.loseNext(INSERT, Loss.BEFORE_THE_CLIENT);
      assertOutcomeUnknown(wire, PLAIN);
    }
    assertThat(database.count(ALL)).isEqualTo(20);
  }

  @Test
  void insert_lostOnItsWay_isNotThere() throws IOException {
    try (Wire wire = Wire.to(database.url())) {
      wire.loseNext(INSERT, Loss.BEFORE_THE_SERVER);
      assertOutcomeUnknown(wire, PLAIN);
    }
    assertThat(database.count(ALL)).isZero();
  }

  /** MySQL's step is read before the INSERT, MariaDB's after it: then the ids are not known. */
  @Test
  void insert_whoseIdsCannotBeRead_isThereOnce() throws IOException {
    try (Wire wire = Wire.to(database.url())) {
      if (database.isMariaDb()) {
        wire.loseNext("SELECT @rowqueue_step", Loss.BEFORE_THE_SERVER);
        assertOutcomeUnknown(wire, PLAIN);
      } else {
        wire.loseNext(STEP, Loss.BEFORE_THE_SERVER);
        assertThat(enqueue(wire, PLAIN)).hasSize(20);
      }
    }
    assertThat(database.count(ALL)).isEqualTo(20);
  }

  private List<MessageId> enqueue(Wire wire, NewMessage message) {
    MysqlDataSource dataSource = new MysqlDataSource();
    dataSource.setUrl(wire.through(database.url()));
    return MessageProducer.create().enqueueAll(dataSource, Collections.nCopies(20, message));
  }

  private void assertOutcomeUnknown(Wire wire, NewMessage message) {
    assertThatThrownBy(() -> enqueue(wire, message))
        .isInstanceOf(EnqueueOutcomeUnknownException.class)
        .hasMessageContaining("all of them are in the queue, or none");
  }
}
