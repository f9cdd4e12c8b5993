package io.rowqueue.proof.demo;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.example.ShopSchema;
import io.rowqueue.example.newsletter.SendNewsletter;
import io.rowqueue.example.order.Checkout;
import io.rowqueue.example.order.PlaceOrder;
import io.rowqueue.example.webhook.PostWebhook;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.EmbeddedMariaDb;
import io.rowqueue.testkit.QueueDatabase;
import jakarta.mail.MessagingException;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * A small shop: ten thousand orders in one transaction, some clicked twice, two worker processes
 * with the example's plug-in, one of them killed half-way, and then the books, checked by SQL.
 * Exits with 0 if they balance.
 */
public final class Demo {

  private static final int ORDERS = 10_000;
  private static final int CUSTOMERS = 500;
  private static final int CLICKED_TWICE = 100;
  static final int PARTNER_TAKES_AT_ONCE = 2;
  private static final long DEADLINE_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final QueueDatabase database;
  private final Outside outside;
  private final Path home;
  private final PrintStream out = System.out;

  private Demo(QueueDatabase database, Outside outside, Path home) {
    this.database = database;
    this.outside = outside;
    this.home = home;
  }

  /** Runs it. */
  public static void main(String[] args) throws Exception {
    Thread.setDefaultUncaughtExceptionHandler(Demo::report);
    System.out.println("Starting a MariaDB from its jar ...");
    boolean balanced;
    try (Outside outside = Outside.start();
        EmbeddedMariaDb server = EmbeddedMariaDb.start()) {
      System.setProperty(
          "rowqueue.test.url",
          server.jdbcUrl("it") + "?user=" + server.user() + "&password=" + server.password());
      balanced = new Demo(QueueDatabase.create(), outside, home()).run();
    }
    System.exit(balanced ? 0 : 1);
  }

  /** The checkout: this jar lies in {@code tests/queue-proof/target}. */
  private static Path home() throws URISyntaxException {
    Path jar = Path.of(Demo.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    return jar.resolve("../../../..").normalize();
  }

  /** The killed worker leaves its mail server half a dialogue, which is no news here. */
  private static void report(Thread thread, Throwable e) {
    Throwable cause = e.getCause() == null ? e : e.getCause();
    if (!(cause instanceof SocketException)) {
      System.err.println("thread " + thread.getName() + " ended by " + e);
    }
  }

  private boolean run() throws Exception {
    openShop();
    int duplicates = placeOrders();
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
      awaitEmptyQueue("all that follows from the orders");
      QueueOperations.of(database.dataSource()).schedules().runNow("shop.nightly-report");
      sendNewsletter();
      awaitEmptyQueue("the nightly report, run now, and a mail to all customers");
      second.destroy();
      second.waitFor(40, TimeUnit.SECONDS);
    } finally {
      first.destroyForcibly();
      second.destroyForcibly();
    }
    return new Ledgers(
            database, outside, new Ledgers.HandlerOutput(ORDERS, CUSTOMERS, CLICKED_TWICE))
        .print(out, duplicates, second.exitValue());
  }

  private void openShop() throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      ShopSchema.create(connection);
      connection.setAutoCommit(false);
      for (String sku : Orders.SKUS) {
        ShopSchema.stock(connection, sku, Orders.pieces(ORDERS, sku));
      }
      connection.commit();
    }
    database.execute(
        "INSERT INTO shop_partner (sku, url) VALUES ('"
            + Orders.PARTNERS_SKU
            + "', '"
            + outside.partnerUrl()
            + "')");
    QueueOperations.of(database.dataSource())
        .topics()
        .change(new Topic(PostWebhook.TOPIC), set -> set.withKeyInFlight(PARTNER_TAKES_AT_ONCE));
  }

  private void sendNewsletter() {
    MessageProducer.create()
        .enqueue(
            database.dataSource(),
            NewMessage.of(SendNewsletter.TOPIC, new SendNewsletter("New: honey", "Try it.")));
  }

  /** Returns how many orders the shop took for a second click, and left out. */
  private int placeOrders() throws SQLException {
    Checkout checkout = new Checkout(MessageProducer.create());
    List<PlaceOrder> orders = Orders.of(ORDERS, CUSTOMERS);
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      long start = System.nanoTime();
      List<MessageId> ids = checkout.placeAll(connection, orders);
      connection.commit();
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      out.printf(
          "Placed %,d orders of %,d customers in one transaction, in %,d ms.%n",
          ids.size(), CUSTOMERS, millis);
      List<MessageId> again =
          new ArrayList<>(checkout.placeAll(connection, orders.subList(0, CLICKED_TWICE)));
      connection.commit();
      again.retainAll(Set.copyOf(ids));
      out.printf("%,d of them were clicked twice.%n", again.size());
      return again.size();
    }
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
            "--lease-duration",
            "3s");
    worker.environment().put("ROWQUEUE_URL", database.url());
    worker.environment().put("SHOP_SMTP_HOST", "127.0.0.1");
    worker.environment().put("SHOP_SMTP_PORT", Integer.toString(outside.smtpPort()));
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

  private void awaitEmptyQueue(String what) {
    await(
        () -> {
          long left = database.count("SELECT COUNT(*) FROM queue_message");
          out.printf("\rAwaiting %s; %,6d messages are left in the queue ", what, left);
          out.flush();
          return left == 0;
        });
    out.println();
  }

  private static void await(BooleanSupplier condition) {
    Await.until(
        "the workers should have finished",
        Duration.ofNanos(DEADLINE_NANOS),
        () -> {
          LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
          return condition.getAsBoolean();
        },
        done -> done);
  }

  /** What the shop's tables, its mail server and its partner say, beside what they should say. */
  static final class Ledgers {

    private final QueueDatabase database;
    private final Outside outside;
    private final HandlerOutput wanted;
    private boolean balanced = true;

    Ledgers(QueueDatabase database, Outside outside, HandlerOutput wanted) {
      this.database = database;
      this.outside = outside;
      this.wanted = wanted;
    }

    record HandlerOutput(int orders, int customers, int clickedTwice) {}

    /** Prints them; true if each is as it should be. */
    boolean print(PrintStream out, long duplicates, int exitCode) {
      out.printf("%nThe books, by SQL:%n");
      line(
          out,
          "orders confirmed",
          wanted.orders,
          "SELECT COUNT(*) FROM shop_order WHERE state = 'CONFIRMED'");
      line(out, "second clicks left out", wanted.clickedTwice, duplicates);
      line(out, "pieces left in stock", 0, "SELECT SUM(amount) FROM queue_counter");
      line(out, "points credited", wanted.orders, "SELECT SUM(points) FROM shop_customer");
      line(out, "orders in the report", wanted.orders, "SELECT SUM(orders) FROM shop_report");
      several(out, "e-mails received", wanted.orders + wanted.customers, outside.mails());
      several(out, "partner told", Orders.forThePartner(wanted.orders), outside.posts());
      limit(out, "partner told at once", Demo.PARTNER_TAKES_AT_ONCE, outside.mostPostsAtOnce());
      line(
          out,
          "newsletters complete",
          1,
          "SELECT COUNT(*) FROM shop_newsletter WHERE counts = 'total=%1$d done=%1$d failed=0 cancelled=0'"
              .formatted(wanted.customers));
      line(out, "dead letters", 0, "SELECT COUNT(*) FROM queue_dead_letter");
      line(out, "messages left", 0, "SELECT COUNT(*) FROM queue_message");
      line(out, "exit code of worker two", 0, exitCode);
      out.println(balanced ? "Every order took effect exactly once." : "THE BOOKS DO NOT BALANCE.");
      return balanced;
    }

    private void line(PrintStream out, String what, long wanted, String query) {
      line(out, what, wanted, database.count(query));
    }

    private void line(PrintStream out, String what, long wanted, long found) {
      boolean right = wanted == found;
      balanced &= right;
      out.printf("  %-26s%,8d%s%n", what, found, right ? "" : "  SHOULD BE " + wanted);
    }

    private void limit(PrintStream out, String what, long most, long found) {
      boolean right = found <= most;
      balanced &= right;
      out.printf("  %-26s%,8d%s%n", what, found, right ? "" : "  SHOULD BE AT MOST " + most);
    }

    /** What goes outside may come twice where a worker was killed, and is known by its key then. */
    private void several(PrintStream out, String what, long wanted, List<String> keys) {
      line(out, what, wanted, new HashSet<>(keys).size());
      if (keys.size() > wanted) {
        out.printf("    (%,d came twice with the same key)%n", keys.size() - wanted);
      }
    }
  }

  static final class Orders {

    /** The article whose maker wants to be told of each order. */
    static final String PARTNERS_SKU = "honey";

    static final List<String> SKUS = List.of("tea", PARTNERS_SKU);

    /** Every how many orders one is for the partner's article. */
    private static final int PARTNERS_SHARE = 50;

    private Orders() {}

    static List<PlaceOrder> of(int orders, int customers) {
      return IntStream.range(0, orders)
          .mapToObj(
              number ->
                  new PlaceOrder(
                      "order-" + number,
                      "customer-" + number % customers + "@example.org",
                      sku(number),
                      1))
          .toList();
    }

    /** How many pieces of {@code sku} the {@code orders} take. */
    static int pieces(int orders, String sku) {
      return (int) IntStream.range(0, orders).filter(number -> sku(number).equals(sku)).count();
    }

    static int forThePartner(int orders) {
      return pieces(orders, PARTNERS_SKU);
    }

    private static String sku(int number) {
      return number % PARTNERS_SHARE == 0 ? PARTNERS_SKU : SKUS.get(0);
    }
  }

  /** The world outside the shop: its mail server, and a partner that takes webhooks. */
  static final class Outside implements AutoCloseable {

    private final GreenMail mail;
    private final HttpServer partner;
    private final ExecutorService partnersThreads = Executors.newCachedThreadPool();
    private final AtomicInteger atOnce = new AtomicInteger();
    private final AtomicInteger mostAtOnce = new AtomicInteger();
    private final ConcurrentLinkedQueue<String> posts = new ConcurrentLinkedQueue<>();

    private Outside(GreenMail mail, HttpServer partner) {
      this.mail = mail;
      this.partner = partner;
      partner.setExecutor(partnersThreads);
      partner.createContext("/", this::take);
    }

    static Outside start() throws IOException {
      GreenMail mail = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
      mail.start();
      HttpServer partner =
          HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      Outside outside = new Outside(mail, partner);
      partner.start();
      return outside;
    }

    int smtpPort() {
      return mail.getSmtp().getPort();
    }

    String partnerUrl() {
      return "http://127.0.0.1:" + partner.getAddress().getPort() + "/orders";
    }

    private void take(HttpExchange exchange) throws IOException {
      mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
      exchange.getRequestBody().readAllBytes();
      posts.add(String.valueOf(exchange.getRequestHeaders().getFirst("Idempotency-Key")));
      atOnce.decrementAndGet();
      exchange.sendResponseHeaders(204, -1);
      exchange.close();
    }

    /** How many webhooks the partner was at work on together, at the most. */
    int mostPostsAtOnce() {
      return mostAtOnce.get();
    }

    /** The keys of the webhooks that came, one a call; whoever repeats a call repeats its key. */
    List<String> posts() {
      return List.copyOf(posts);
    }

    /** The Message-IDs of the mails that came; whoever repeats a mail repeats its id. */
    List<String> mails() {
      return Arrays.stream(mail.getReceivedMessages())
          .map(
              message -> {
                try {
                  return String.valueOf(message.getHeader("Message-ID")[0]);
                } catch (MessagingException e) {
                  throw new IllegalStateException(e);
                }
              })
          .toList();
    }

    @Override
    public void close() {
      partner.stop(0);
      partnersThreads.shutdownNow();
      mail.stop();
    }
  }
}
