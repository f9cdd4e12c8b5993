package io.rowqueue.example;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Module;
import com.google.inject.multibindings.OptionalBinder;
import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.sun.net.httpserver.HttpServer;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.example.email.SmtpConfig;
import io.rowqueue.example.newsletter.SendNewsletter;
import io.rowqueue.example.order.Checkout;
import io.rowqueue.example.order.PlaceOrder;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The whole shop in one worker: from the click to the mail, points, partners and the report. */
@QueueTest
class ShopIT {

  private static final Duration LONGEST = Duration.ofSeconds(30);

  private final GreenMail mail =
      new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
  private final List<String> posts = new CopyOnWriteArrayList<>();
  private HttpServer partner;

  @BeforeEach
  void open(QueueDatabase database) throws IOException, SQLException {
    mail.start();
    partner = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    partner.createContext(
        "/",
        exchange -> {
          posts.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    partner.start();
    try (Connection connection = database.connect()) {
      ShopSchema.create(connection);
      connection.setAutoCommit(false);
      ShopSchema.stock(connection, "honey", 3);
      connection.commit();
    }
    database.execute(
        "INSERT INTO shop_partner (sku, url) VALUES ('honey', 'http://127.0.0.1:"
            + partner.getAddress().getPort()
            + "/orders')");
  }

  @AfterEach
  void close() {
    partner.stop(0);
    mail.stop();
  }

  @Test
  void orders_fromTheClickToTheReport_happenOnce(QueueDatabase database) throws SQLException {
    try (Worker worker = worker(database)) {
      worker.start();
      placeTwoOfWhichOneIsTooMuchAndOneIsClickedTwice(database);
      Await.until("the queue is empty", LONGEST, () -> left(database), left -> left == 0);
      QueueOperations.of(database.dataSource()).schedules().runNow("shop.nightly-report");
      MessageProducer.create()
          .enqueue(
              database.dataSource(),
              NewMessage.of(SendNewsletter.TOPIC, new SendNewsletter("New: tea", "Try it.")));
      Await.until("the report is made", LONGEST, () -> reports(database), made -> made == 1);
      Await.until("the newsletter is out", LONGEST, () -> left(database), left -> left == 0);
    }
    assertThat(database.strings("SELECT CONCAT(id, ' ', state) FROM shop_order ORDER BY id"))
        .containsExactly("o-1 CONFIRMED", "o-2 REFUSED");
    assertThat(database.strings("SELECT CONCAT(email, ' ', points) FROM shop_customer"))
        .containsExactly("ada@example.org 2");
    assertThat(subjects()).containsExactlyInAnyOrder("Order o-1", "Order o-2", "New: tea");
    assertThat(database.strings("SELECT CONCAT(subject, ', ', counts) FROM shop_newsletter"))
        .containsExactly("New: tea, total=1 done=1 failed=0 cancelled=0");
    assertThat(posts).containsExactly("{\"order\":\"o-1\",\"quantity\":2}");
    assertThat(database.strings("SELECT CONCAT(orders, ' ', pieces) FROM shop_report"))
        .containsExactly("1 2");
    assertThat(database.count("SELECT COUNT(*) FROM queue_dead_letter")).isZero();
  }

  private static void placeTwoOfWhichOneIsTooMuchAndOneIsClickedTwice(QueueDatabase database)
      throws SQLException {
    Checkout checkout = new Checkout(MessageProducer.create());
    PlaceOrder first = new PlaceOrder("o-1", "ada@example.org", "honey", 2);
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      MessageId once = checkout.place(connection, first);
      checkout.place(connection, new PlaceOrder("o-2", "ada@example.org", "honey", 2));
      connection.commit();
      assertThat(checkout.place(connection, first)).isEqualTo(once);
      connection.commit();
    }
  }

  private Worker worker(QueueDatabase database) {
    SmtpConfig smtp = new SmtpConfig("127.0.0.1", mail.getSmtp().getPort(), "shop@example.org");
    Module here =
        new AbstractModule() {
          @Override
          protected void configure() {
            OptionalBinder.newOptionalBinder(binder(), SmtpConfig.class)
                .setBinding()
                .toInstance(smtp);
          }
        };
    WorkerModule worker = new WorkerModule(WorkerConfig.defaults(database.config()));
    return Guice.createInjector(worker, new ShopModule(), here).getInstance(Worker.class);
  }

  private static long reports(QueueDatabase database) {
    return database.count("SELECT COUNT(*) FROM shop_report");
  }

  private static long left(QueueDatabase database) {
    return database.count("SELECT COUNT(*) FROM queue_message");
  }

  private List<String> subjects() {
    return Arrays.stream(mail.getReceivedMessages())
        .map(
            message -> {
              try {
                return message.getSubject();
              } catch (jakarta.mail.MessagingException e) {
                throw new IllegalStateException(e);
              }
            })
        .toList();
  }
}
