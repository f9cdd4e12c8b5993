package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.internal.wakeup.WakeupIT;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.EmbeddedMariaDb;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.TestServer;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.internal.WorkerPools;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Over accounts that must use TLS, with a certificate that is checked. The embedded MariaDB gets
 * one for 127.0.0.1 from an authority of the test's; another server shows the one that it has.
 */
class TlsIT {

  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir private static Path directory;

  private static @Nullable EmbeddedMariaDb embedded;
  private static QueueDatabase database;
  private static Certificates certificates;
  private static String trusting;

  record Order(int number) {}

  @BeforeAll
  static void start() throws Exception {
    certificates = new Certificates(directory);
    certificates.authority("ours");
    certificates.authority("theirs");
    if (TestServer.shared().isMariaDb()) {
      certificates.server("ours");
      EmbeddedMariaDb server = EmbeddedMariaDb.start(certificates.serverOptions("ours"));
      embedded = server;
      database = QueueDatabase.create(TestServer.of(server));
      trusting = certificates.trusting("ours");
    } else {
      database = QueueDatabase.create();
      Matcher port = Pattern.compile("//[^/:]+:(\\d+)/").matcher(database.url());
      assertThat(port.find()).isTrue();
      trusting = certificates.trustingServer(Integer.parseInt(port.group(1)));
    }
  }

  @AfterAll
  static void stop() {
    database.close();
    if (embedded != null) {
      embedded.close();
    }
  }

  private static Accounts encrypted(Role... roles) {
    Accounts account = Accounts.with(database, roles);
    database.execute("ALTER USER '%s'@'%%' REQUIRE SSL".formatted(account.user()));
    return account;
  }

  private static String url(Accounts account, String mode, String leaseState) {
    return account.url() + "&sslMode=" + mode + leaseState;
  }

  @Test
  void worker_overVerifiedTls_handlesAndIsWokenHoldsItsLockAndCutsWhatHangs() {
    Queue<Integer> handled = new ConcurrentLinkedQueue<>();
    String hanging =
        "SELECT COUNT(*) FROM information_schema.processlist WHERE db = DATABASE()"
            + " AND info LIKE 'SELECT BENCHMARK%'";
    try (Accounts account = encrypted(Role.WORKER, Role.PRODUCER);
        TestWorker worker =
            TestWorker.startAt(
                url(account, "VERIFY_CA", trusting),
                config -> config.withPollInterval(Duration.ofMinutes(5)),
                LambdaHandlers.bind(
                    "order",
                    Order.class,
                    (order, context) -> {
                      handled.add(order.number());
                      if (order.number() == 2) {
                        context
                            .transaction()
                            .execute("SELECT BENCHMARK(1000000000000, SHA2('rowqueue', 256))");
                      }
                    },
                    HandlerSettings.defaults()
                        .withTimeout(Duration.ofSeconds(1))
                        .withMaxAttempts(1)))) {
      WakeupIT.awaitAsleep(database, 1);
      assertThat(database.count("SELECT COUNT(IS_USED_LOCK(lock_id)) FROM queue_worker"))
          .isEqualTo(1);
      MysqlDataSource producer = new MysqlDataSource();
      producer.setURL(url(account, "VERIFY_CA", trusting));
      MessageProducer.create().enqueue(producer, NewMessage.of("order", new Order(1)));
      Await.that("it is handled", SOON, () -> handled.contains(1));
      worker.awaitNotification(SOON);
      MessageProducer.create().enqueue(producer, NewMessage.of("order", new Order(2)));
      Orders.awaitCount(database, hanging, 1, SOON);
      Orders.awaitCount(database, hanging, 0, SOON);
    }
  }

  @Test
  void server_thatAStrangerHasSigned_isRefusedWithTheReason() throws Exception {
    String strange = certificates.trusting("theirs");
    try (Accounts account = encrypted(Role.WORKER)) {
      for (String mode : new String[] {"VERIFY_CA", "VERIFY_IDENTITY"}) {
        refused(url(account, mode, strange), "no encrypted connection: ", "check sslMode in --url");
      }
    }
  }

  @Test
  void server_underAnotherName_isRefusedWhereTheNameIsChecked() {
    try (Accounts account = encrypted(Role.WORKER)) {
      String byAddress = url(account, "VERIFY_IDENTITY", trusting);
      if (embedded != null) {
        WorkerPools.check(new DatabaseConfig(byAddress, "", ""));
      }
      refused(
          byAddress.replace("//127.0.0.1:", "//localhost:"),
          "no encrypted connection: ",
          "localhost");
    }
  }

  @Test
  void account_thatMustUseTls_isToldSoWhereTheUrlSwitchesItOff() {
    try (Accounts account = encrypted(Role.WORKER)) {
      refused(
          url(account, "DISABLED&allowPublicKeyRetrieval=true", ""), "sslMode=DISABLED", "require");
    }
  }

  private static void refused(String url, String... words) {
    assertThatThrownBy(() -> WorkerPools.check(new DatabaseConfig(url, "", "")))
        .isInstanceOf(DatabaseUnavailableException.class)
        .hasMessageContainingAll(words)
        .hasMessageNotContaining(Accounts.PASSWORD);
  }
}
