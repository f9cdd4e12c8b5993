package io.rowqueue.worker;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.listen.Rings;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.tests.process.Processes;
import io.rowqueue.tests.process.Step;
import io.rowqueue.tests.process.Step.What;
import io.rowqueue.wakeup.Ring;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * An application on a host of its own. It enqueues a message for each line of its input: in a JDBC
 * transaction, and with a ring once that is committed.
 */
final class HostProducer implements AutoCloseable {

  private static final String READY = "ready";

  private final Process process;
  private final Writer orders;

  private HostProducer(Process process) {
    this.process = process;
    this.orders = process.outputWriter(StandardCharsets.US_ASCII);
  }

  /** Starts it on {@code host}, and returns when it is connected. */
  static HostProducer start(Hosts.Host host, String url) throws IOException {
    HostProducer producer =
        new HostProducer(host.run(Processes.program(HostProducer.class, url)).start());
    BufferedReader words = producer.process.inputReader(StandardCharsets.UTF_8);
    StringBuilder all = new StringBuilder();
    for (String line = words.readLine(); !READY.equals(line); line = words.readLine()) {
      if (line == null) {
        throw new IOException("the producer has ended: " + all);
      }
      all.append(line).append('\n');
    }
    return producer;
  }

  /** Has it enqueue a message; does not wait for that. */
  void enqueue(What what) throws IOException {
    orders.write(what.name() + "\n");
    orders.flush();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** With the queue's URL. */
  public static void main(String[] arguments) throws SQLException, IOException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(arguments[0]);
    config.setMaximumPoolSize(2);
    config.setMinimumIdle(2);
    try (HikariDataSource pool = new HikariDataSource(config);
        BufferedReader orders =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII))) {
      Ring ring = Rings.over(pool);
      System.out.println(READY);
      for (String line = orders.readLine(); line != null; line = orders.readLine()) {
        enqueue(pool, What.valueOf(line));
        ring.ring(Step.TOPIC);
      }
    }
  }

  private static void enqueue(DataSource pool, What what) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      MessageId id =
          MessageProducer.create().enqueue(connection, NewMessage.of(Step.TOPIC, new Step(what)));
      statement.execute("INSERT INTO enqueued (message_id) VALUES (" + id + ")");
      connection.commit();
    }
  }
}
