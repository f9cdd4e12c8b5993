package io.rowqueue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.AwaitTimeoutException;
import io.rowqueue.BackPressure;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.BodySource;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.Deduplication;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Results;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Producers need none of the libraries that the artifact rowqueue-client excludes. */
@QueueTest
class ProducerClassPathIT {

  private static final Pattern EXCLUDED =
      Pattern.compile(
          ".*/(guice|guava|aopalliance|cron-utils|jakarta\\.inject-api|jooq|r2dbc-spi"
              + "|reactive-streams)-[^/]*\\.jar");

  private static final Pattern ABSENT =
      Pattern.compile("(com\\.google\\.(inject|common)|com\\.cronutils|org\\.jooq)\\..*");

  @Test
  void producer_withoutTheLibrariesOfWorkers_enqueues(QueueDatabase database) throws Exception {
    URL[] kept =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !EXCLUDED.matcher(entry).matches())
            .map(ProducerClassPathIT::url)
            .toArray(URL[]::new);
    database.execute("INSERT INTO queue_topic (topic, max_depth) VALUES ('order', 100)");
    database.execute(
        "INSERT INTO queue_depth (topic, is_full, depth, oldest_seconds, sample_micros, sampled_at)"
            + " VALUES ('order', 0, 1, 0, 1, UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)");
    Set<String> missed = ConcurrentHashMap.newKeySet();
    try (URLClassLoader loader =
        new URLClassLoader(kept, ClassLoader.getPlatformClassLoader()) {
          @Override
          protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (ABSENT.matcher(name).matches()) {
              missed.add(name);
            }
            return super.findClass(name);
          }
        }) {
      Thread.currentThread().setContextClassLoader(loader);
      loader
          .loadClass(Application.class.getName())
          .getMethod("enqueue", String.class)
          .invoke(null, database.url());
    } finally {
      Thread.currentThread().setContextClassLoader(getClass().getClassLoader());
    }
    // A failed notification would only be logged.
    assertThat(missed).isEmpty();
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(Application.COUNT);
  }

  private static URL url(String entry) {
    try {
      return new File(entry).toURI().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(e);
    }
  }

  /** Runs in the class loader without them. */
  public static final class Application {

    static final int COUNT = 13;

    private Application() {}

    public static void enqueue(String url) throws Exception {
      MysqlDataSource dataSource = new MysqlDataSource();
      dataSource.setUrl(url);
      BackPressure backPressure = BackPressure.over(dataSource);
      MessageProducer producer = MessageProducer.create().rejectingWhenFull(backPressure);
      NewMessage message = NewMessage.of("order", 1);
      try (Connection connection = dataSource.getConnection()) {
        connection.setAutoCommit(false);
        producer.enqueue(connection, message);
        connection.commit();
      }
      assertThat(backPressure.sample(message.topic()).orElseThrow().depth()).isOne();
      producer.enqueue(dataSource, message);
      producer.enqueueAll(dataSource, List.of(message, message));
      producer.enqueue(dataSource, message.withOrderingKey("key"));
      producer.enqueue(dataSource, message.withDelay(Duration.ofHours(1)));
      NewMessage later = message.withDueAt(Instant.now().plusSeconds(3_600)).withPriority(1);
      producer.enqueue(dataSource, later);
      producer.enqueue(dataSource, later.withLimitKey("key").withHeader("tenant", "a"));
      producer.enqueue(
          dataSource, message.withDeduplication(Deduplication.within("once", Duration.ofHours(1))));
      producer.publish(dataSource, NewMessage.of("no.subscriber", 1));
      byte[] large = new byte[100_000];
      BodySource stream = () -> new ByteArrayInputStream(large);
      producer.enqueue(dataSource, NewMessage.of("large", stream));
      BatchProducer batches = BatchProducer.over(producer);
      MessageBatch batch = batches.open(dataSource, BatchSettings.named("batch"));
      assertThat(batches.add(dataSource, batch, List.of(message))).hasSize(1);
      ChainProducer.over(producer).add(dataSource, batch, Chain.of(message).then(message));
      assertThat(batches.close(dataSource, batch)).isTrue();
      awaitNotification(dataSource);
      assertThatThrownBy(() -> producer.enqueue(dataSource, NewMessage.of("", 1)))
          .isInstanceOf(InvalidMessageException.class);
      try (Results results = Results.over(dataSource)) {
        MessageId id = results.enqueue(producer, message);
        assertThatThrownBy(() -> results.await(id, Integer.class, Duration.ofMillis(100)))
            .isInstanceOf(AwaitTimeoutException.class);
      }
    }

    /** On this thread. */
    private static void awaitNotification(DataSource dataSource) throws SQLException {
      try (Connection connection = dataSource.getConnection()) {
        WorkerNotifier.over(dataSource).notifyWorkers(Map.of(new Topic("order"), 1), connection);
      }
    }
  }
}
