package io.rowqueue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Deduplication;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Results;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Producers need none of the libraries that the artifact rowqueue-client excludes. */
@QueueTest
class ProducerClassPathIT {

  private static final Pattern EXCLUDED =
      Pattern.compile(".*/(guice|guava|aopalliance|cron-utils|jakarta\\.inject-api)-[^/]*\\.jar");

  @Test
  void producer_withoutTheLibrariesOfWorkers_enqueues(QueueDatabase database) throws Exception {
    URL[] kept =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !EXCLUDED.matcher(entry).matches())
            .map(ProducerClassPathIT::url)
            .toArray(URL[]::new);
    try (URLClassLoader loader = new URLClassLoader(kept, ClassLoader.getPlatformClassLoader())) {
      for (String absent : List.of("com.google.inject.Guice", "com.cronutils.model.Cron")) {
        assertThatThrownBy(() -> loader.loadClass(absent))
            .isInstanceOf(ClassNotFoundException.class);
      }
      Thread.currentThread().setContextClassLoader(loader);
      loader
          .loadClass(Application.class.getName())
          .getMethod("enqueue", String.class)
          .invoke(null, database.url());
    } finally {
      Thread.currentThread().setContextClassLoader(getClass().getClassLoader());
    }
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

    static final int COUNT = 9;

    private Application() {}

    public static void enqueue(String url) throws Exception {
      MysqlDataSource dataSource = new MysqlDataSource();
      dataSource.setUrl(url);
      MessageProducer producer = MessageProducer.create();
      NewMessage message = NewMessage.of("order", 1);
      try (Connection connection = dataSource.getConnection()) {
        connection.setAutoCommit(false);
        producer.enqueue(connection, message);
        connection.commit();
      }
      producer.enqueue(dataSource, message);
      producer.enqueueAll(dataSource, List.of(message, message));
      producer.enqueue(dataSource, message.withOrderingKey("key"));
      producer.enqueue(dataSource, message.withDelay(Duration.ofHours(1)));
      producer.enqueue(
          dataSource, message.withDeduplication(Deduplication.within("once", Duration.ofHours(1))));
      producer.publish(dataSource, NewMessage.of("no.subscriber", 1));
      BatchProducer.over(producer)
          .enqueue(dataSource, BatchSettings.named("batch"), List.of(message));
      WorkerNotifier.over(dataSource).notifyWorkers("order");
      try (Results results = Results.over(dataSource)) {
        results.enqueue(producer, message);
      }
    }
  }
}
