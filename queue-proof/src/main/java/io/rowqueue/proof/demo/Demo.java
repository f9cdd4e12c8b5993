package io.rowqueue.proof.demo;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.example.ShopSchema;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.server.EmbeddedMariaDb;
import java.io.IOException;
import java.io.PrintStream;
import java.net.SocketException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Ten thousand orders in one transaction, two worker processes with the example's plug-in, one of
 * them killed half-way, and then the books, checked by SQL. Exits with 0 if they balance.
 */
public final class Demo {

  private static final int ORDERS = 10_000;
  private static final String SKU = "tea";
  private static final long DEADLINE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final QueueDatabase database;
  private final int smtpPort;
  private final Path home;
  private final PrintStream out = System.out;

  private Demo(QueueDatabase database, int smtpPort, Path home) {
    this.database = database;
    this.smtpPort = smtpPort;
    this.home = home;
  }

  /** Runs it. */
  public static void main(String[] args) throws Exception {
    Thread.setDefaultUncaughtExceptionHandler(Demo::report);
    GreenMail mail = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    mail.start();
    System.out.println("Starting a MariaDB from its jar ...");
    boolean balanced;
    try (EmbeddedMariaDb server = EmbeddedMariaDb.start()) {
      System.setProperty(
          "rowqueue.test.url",
          server.jdbcUrl("it") + "?user=" + server.user() + "&password=" + server.password());
      Demo demo = new Demo(QueueDatabase.create(), mail.getSmtp().getPort(), home());
      balanced = demo.run(mail);
    } finally {
      mail.stop();
    }
    System.exit(balanced ? 0 : 1);
  }

  /** The checkout: this jar lies in {@code queue-proof/target}. */
  private static Path home() throws URISyntaxException {
    Path jar = Path.of(Demo.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return jar.resolve("../../..").normalize();
  }

  /** The killed worker leaves its mail server half a dialogue, which is no news here. */
  private static void report(Thread thread, Throwable e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    if (!(cause instanceof SocketException)) {
      System.err.println("thread " + thread.getName() + " ended by " + e);
    }
  }

  private boolean run(GreenMail mail) throws Exception {
    enqueueOrders();
    Path handlers = Files.createTempDirectory("rowqueue-handlers-");
    Files.copy(
        home.resolve("queue-handlers-example/target/handlers-example.jar"),
        handlers.resolve("handlers-example.jar"));
    Process first = startWorker(handlers, "one");
    Process second = startWorker(handlers, "two");
    try {
      awaitOrders(ORDERS / 2);
      first.destroyForcibly().waitFor();
      out.printf("%nWorker one (pid %d) was killed with SIGKILL half-way.%n", first.pid());
      awaitOrders(ORDERS);
      awaitEmptyQueue();
      second.destroy();
      second.waitFor(40, TimeUnit.SECONDS);
    } finally {
      first.destroyForcibly();
      second.destroyForcibly();
    }
    return report(mail, second.exitValue());
  }

  private void enqueueOrders() throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      ShopSchema.create(connection);
      connection.setAutoCommit(false);
      ShopSchema.stock(connection, SKU, ORDERS);
      long start = System.nanoTime();
      MessageProducer.create()
          .enqueueAll(connection, IntStream.range(0, ORDERS).mapToObj(Demo::order).toList());
      connection.commit();
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      out.printf("Enqueued %,d orders in one transaction, in %d ms.%n", ORDERS, millis);
    }
  }

  private static NewMessage order(int number) {
    return NewMessage.of(
        "order.placed",
        Map.of(
            "orderId", "order-" + number, "email", "ada@example.org", "sku", SKU, "quantity", 1));
  }

  private Process startWorker(Path handlers, String name) throws IOException {
    ProcessBuilder worker =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-jar",
            home.resolve("queue-worker/target/queue-worker.jar").toString(),
            "run",
            "--handlers",
            handlers.toString(),
            "--lease",
            "3s");
    worker.environment().put("ROWQUEUE_URL", database.url());
    worker.environment().put("SHOP_SMTP_HOST", "127.0.0.1");
    worker.environment().put("SHOP_SMTP_PORT", Integer.toString(smtpPort));
    Path log = handlers.resolve("worker-" + name + ".log");
    worker.redirectErrorStream(true).redirectOutput(log.toFile());
    Process process = worker.start();
    out.printf("Worker %s runs with pid %d; its log is %s%n", name, process.pid(), log);
    return process;
  }

  private void awaitOrders(long wanted) {
    await(
        () -> {
          long orders = database.count("SELECT COUNT(*) FROM shop_order");
          long left = database.count("SELECT COUNT(*) FROM queue_message");
          out.printf(
              "\r%,6d of %,d orders handled, %,6d messages in the queue ", orders, ORDERS, left);
          out.flush();
          return orders >= wanted;
        });
  }

  private void awaitEmptyQueue() {
    await(
        () -> {
          long left = database.count("SELECT COUNT(*) FROM queue_message");
          out.printf("\rAll orders are handled; %,6d e-mails are left in the queue ", left);
          out.flush();
          return left == 0;
        });
    out.println();
  }

  private static void await(java.util.function.BooleanSupplier condition) {
    io.rowqueue.testkit.Await.until(
        "the workers should have finished",
        Duration.ofNanos(DEADLINE_NANOS),
        () -> {
          java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
          return condition.getAsBoolean();
        },
        done -> done);
  }

  private boolean report(GreenMail mail, int exitCode) {
    long orders = database.count("SELECT COUNT(*) FROM shop_order WHERE state = 'CONFIRMED'");
    long distinct = database.count("SELECT COUNT(DISTINCT id) FROM shop_order");
    long stock = database.count("SELECT SUM(amount) FROM queue_counter");
    long dead = database.count("SELECT COUNT(*) FROM queue_dead_letter");
    long left = database.count("SELECT COUNT(*) FROM queue_message");
    List<String> mails = messageIds(mail);
    long mailed = mails.stream().distinct().count();
    boolean balanced =
        orders == ORDERS
            && distinct == ORDERS
            && stock == 0
            && dead == 0
            && left == 0
            && mailed == ORDERS
            && exitCode == 0;
    out.printf("%nThe books, by SQL:%n");
    out.printf("  orders enqueued          %,8d%n", ORDERS);
    out.printf("  orders confirmed         %,8d (distinct: %,d)%n", orders, distinct);
    out.printf("  stock taken              %,8d (left: %,d)%n", ORDERS - stock, stock);
    out.printf("  e-mails received         %,8d (distinct: %,d)%n", mails.size(), mailed);
    out.printf("  dead letters             %,8d%n", dead);
    out.printf("  messages left            %,8d%n", left);
    out.printf("  exit code of worker two  %8d%n", exitCode);
    out.println(balanced ? "Every order took effect exactly once." : "THE BOOKS DO NOT BALANCE.");
    return balanced;
  }

  private static List<String> messageIds(GreenMail mail) {
    return java.util.Arrays.stream(mail.getReceivedMessages())
        .map(
            message -> {
              try {
                return String.valueOf(message.getHeader("Message-ID")[0]);
              } catch (jakarta.mail.MessagingException e) {
                throw new IllegalStateException(e);
              }
            })
        .toList();
  }
}
