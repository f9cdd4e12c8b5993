package io.rowqueue.internal.body;

import static io.rowqueue.internal.body.LargePayloads.TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.Module;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadException;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.FileBodyStore;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.MemoryStore;
import io.rowqueue.tests.OwnThreads;
import io.rowqueue.tests.TestWorker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(OwnThreads.class)
@QueueTest
class StoredBodyIT {

  private final QueueDatabase database;
  private final LargePayloads bodies = new LargePayloads();

  @TempDir private Path folder;

  StoredBodyIT(QueueDatabase database) {
    this.database = database;
  }

  private MessageProducer producer() {
    return MessageProducer.create().storing(FileBodyStore.in(folder), 100_000);
  }

  private TestWorker worker() {
    return TestWorker.start(
        database,
        config -> config.withBodyFolder(folder),
        bodies.streams(HandlerSettings.defaults()));
  }

  /** But for the one with the folder's name. */
  private long files() throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile)
          .filter(file -> !folder.equals(file.getParent()))
          .count();
    }
  }

  @Test
  void largeOnes_areFiles_areHandled_andGo() throws IOException {
    producer()
        .enqueueAll(
            database.dataSource(),
            List.of(
                NewMessage.of(TOPIC, LargePayloads.bytes(99_999)),
                NewMessage.of(TOPIC, LargePayloads.bytes(100_000)),
                NewMessage.streamed(TOPIC, LargePayloads.source(700_000))));
    assertThat(files()).isEqualTo(2);
    assertThat(
            database.strings(
                "SELECT CONCAT(store, ' ', bytes) FROM queue_payload_ref ORDER BY bytes"))
        .containsExactly("files 100000", "files 700000");
    try (TestWorker worker = worker()) {
      Orders.awaitNoneLeft(database);
      // Its own maintenance does the same once a minute.
      int unused = worker.get(StoredBodySweep.class).sweepRows(1);
      Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_payload_ref", 0);
    }
    assertThat(bodies.handled)
        .containsExactlyInAnyOrder(
            LargePayloads.digest(99_999),
            LargePayloads.digest(100_000),
            LargePayloads.digest(700_000));
    assertThat(files()).isZero();
  }

  @Test
  void rolledBack_leavesAFile_thatIsCleanedUpByItsAge() throws IOException, SQLException {
    NewMessage message = NewMessage.streamed(TOPIC, LargePayloads.source(700_000));
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      producer().enqueue(connection, message);
      connection.rollback();
      producer().enqueue(connection, message);
      connection.commit();
    }
    assertThat(files()).isEqualTo(2);
    try (TestWorker idle = TestWorker.create(database, config -> config.withBodyFolder(folder))) {
      StoredBodySweep sweep = idle.get(StoredBodySweep.class);
      assertThat(sweep.sweepStores(Duration.ofDays(1))).isZero();
      assertThat(sweep.sweepStores(Duration.ofSeconds(-10))).isEqualTo(1);
      assertThat(sweep.sweepRows(10)).isZero();
    }
    assertThat(files()).isEqualTo(1);
  }

  @Test
  void fileThatIsLostOrDamaged_isADeadLetterAtOnce() throws IOException {
    List<MessageId> ids =
        producer()
            .enqueueAll(
                database.dataSource(),
                List.of(
                    NewMessage.of(TOPIC, LargePayloads.bytes(100_001)),
                    NewMessage.of(TOPIC, LargePayloads.bytes(100_002))));
    Files.delete(file(ids.get(0)));
    Files.writeString(file(ids.get(1)), "another");
    try (TestWorker worker = worker()) {
      Orders.awaitCount(database, Orders.DEAD, 2);
    }
    assertThat(database.strings("SELECT DISTINCT reason FROM queue_dead_letter"))
        .containsExactly("body-missing");
  }

  private Path file(MessageId id) {
    return folder.resolve(
        database
            .strings(
                "SELECT SUBSTRING(reference, 10) FROM queue_payload_ref WHERE message_id = " + id)
            .get(0));
  }

  @Test
  void emptyMountPoint_makesMessagesWait_untilTheFolderIsThereAgain() throws IOException {
    producer().enqueue(database.dataSource(), NewMessage.of(TOPIC, LargePayloads.bytes(100_000)));
    Path mounted = folder.resolveSibling(folder.getFileName() + "-mounted");
    Files.move(folder, mounted);
    Files.createDirectory(folder);
    try (TestWorker worker = worker()) {
      Orders.awaitCount(
          database,
          "SELECT COUNT(*) FROM queue_message WHERE claim_number > 1 AND attempts = 0",
          1);
      assertThat(worker.get(StoredBodySweep.class).sweepStores(Duration.ZERO)).isZero();
      Files.delete(folder);
      Files.move(mounted, folder);
      Orders.awaitNoneLeft(database);
    }
    assertThat(bodies.handled).containsExactly(LargePayloads.digest(100_000));
    assertThat(database.count(Orders.DEAD)).isZero();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void storeThatCannotBeReadJustNow_costsNoAttempt(boolean unchecked) {
    Away store = new Away(new MemoryStore(), new AtomicBoolean(), unchecked);
    MessageProducer.create()
        .storing(store, 0)
        .enqueue(database.dataSource(), NewMessage.of(TOPIC, LargePayloads.bytes(50_000)));
    store.away.set(true);
    Module stores =
        binder -> Multibinder.newSetBinder(binder, BodyStore.class).addBinding().toInstance(store);
    try (TestWorker worker =
        TestWorker.start(
            database, config -> config, bodies.streams(HandlerSettings.defaults()), stores)) {
      Orders.awaitCount(
          database,
          "SELECT COUNT(*) FROM queue_message WHERE claim_number > 1 AND attempts = 0",
          1);
      store.away.set(false);
      Orders.awaitNoneLeft(database);
    }
    assertThat(bodies.handled).containsExactly(LargePayloads.digest(50_000));
  }

  @Test
  void storeThatIsFull_enqueuesNothing() {
    MessageProducer producer =
        MessageProducer.create()
            .storing(new Away(new MemoryStore(), new AtomicBoolean(true), false), 0);
    assertThatThrownBy(
            () -> producer.enqueue(database.dataSource(), NewMessage.of(TOPIC, new byte[50_000])))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("could not be stored");
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
  }

  /** A store that is away refuses each body for one reason, which is one line of the log. */
  @ParameterizedTest
  @CsvSource({"false, Input/output error", "true, 503 Slow Down"})
  void storeThatDeletesNothing_isOneWarningASweep_andSweptLater(boolean unchecked, String why) {
    Away store = new Away(new MemoryStore(), new AtomicBoolean(), unchecked);
    MessageProducer producer = MessageProducer.create().storing(store, 0);
    for (int i = 0; i < 3; i++) {
      producer.enqueue(database.dataSource(), NewMessage.of(TOPIC, new byte[50_000 + i]));
    }
    database.execute("DELETE FROM queue_message");
    store.away.set(true);
    Module stores =
        binder -> Multibinder.newSetBinder(binder, BodyStore.class).addBinding().toInstance(store);
    try (CapturedLog log = CapturedLog.of("io.rowqueue.internal.body");
        TestWorker idle = TestWorker.create(database, config -> config, stores)) {
      StoredBodySweep sweep = idle.get(StoredBodySweep.class);
      assertThat(sweep.sweepRows(2)).isZero();
      assertThat(log.lines())
          .containsExactly(
              "WARN 3 payloads could not be deleted from memory, the first is body-1; the next"
                  + " sweep tries again: "
                  + why);
      store.away.set(false);
      assertThat(sweep.sweepRows(2)).isEqualTo(3);
      assertThat(log.lines()).hasSize(1);
    }
  }

  /** A store that answers nothing while it is away. */
  private record Away(MemoryStore store, AtomicBoolean away, boolean unchecked)
      implements BodyStore {

    private void check() throws IOException {
      if (away.get() && unchecked) {
        throw new IllegalStateException("503 Slow Down");
      }
      if (away.get()) {
        throw new IOException("Input/output error");
      }
    }

    @Override
    public String name() {
      return store.name();
    }

    @Override
    public String write(InputStream body) throws IOException {
      check();
      return store.write(body);
    }

    @Override
    public InputStream open(String reference) throws IOException {
      check();
      return store.open(reference);
    }

    @Override
    public void delete(String reference) throws IOException {
      check();
      store.delete(reference);
    }

    @Override
    public Stream<String> olderThan(Duration age) {
      return store.olderThan(age);
    }
  }
}
