package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.spring.shop.Item;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.Worker;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;

/** Handlers in Spring's transactions, which belong to a thread and have timeouts of their own. */
@QueueTest
class SpringTransactionsIT {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final CompletableFuture<Thread> handling = new CompletableFuture<>();
  private final CompletableFuture<Thread> rolledBack = new CompletableFuture<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private final LocalContainerEntityManagerFactoryBean entities =
      new LocalContainerEntityManagerFactoryBean();
  private HikariDataSource pool;

  @BeforeEach
  void open(QueueDatabase database) {
    database.execute(Applications.ITEM, "DELETE FROM item", "DELETE FROM queue_dead_letter");
    pool = new HikariDataSource();
    pool.setJdbcUrl(Applications.url(database));
    pool.setMaximumPoolSize(5);
  }

  @AfterEach
  void close() {
    end.countDown();
    entities.destroy();
    pool.close();
  }

  private AbstractPlatformTransactionManager manager(boolean jpa) {
    if (!jpa) {
      return new JdbcTransactionManager(pool);
    }
    entities.setDataSource(pool);
    entities.setPackagesToScan(Item.class.getPackageName());
    entities.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
    entities.afterPropertiesSet();
    return new JpaTransactionManager(entities.getObject());
  }

  private Worker worker(AbstractPlatformTransactionManager manager, Consumer<String> handler) {
    return Worker.builder(pool)
        .handlerConnections(new TransactionManagerDataSource(manager, pool))
        .handle(
            "order",
            String.class,
            (name, context) -> {
              new JdbcTemplate(pool).update("INSERT INTO item VALUES (?, '')", name);
              handler.accept(name);
            },
            settings -> settings.withTimeout(Duration.ofSeconds(1)).withMaxAttempts(1))
        .threads(1)
        .start();
  }

  @ParameterizedTest(name = "JPA: {0}")
  @ValueSource(booleans = {false, true})
  void handler_thatSwallowsInterrupts_losesItsMessageAndItsThreadIsReplaced(
      boolean jpa, QueueDatabase database) {
    AbstractPlatformTransactionManager manager = manager(jpa);
    try (Worker worker = worker(manager, this::handleDeaf)) {
      manager.addListener(
          new TransactionExecutionListener() {
            @Override
            public void afterRollback(TransactionExecution ended, @Nullable Throwable failure) {
              rolledBack.complete(Thread.currentThread());
            }
          });
      database.queue().enqueue("order", "deaf");
      database.queue().enqueue("order", "next");
      awaitNoneLeft(database);
      assertThat(database.strings("SELECT CONCAT(reason, attempts) FROM queue_dead_letter"))
          .containsExactly("attempts-exhausted1");
      assertThat(database.strings("SELECT name FROM item")).containsExactly("next");
      Await.that(
          "only the worker's lock and listener hold connections",
          SOON,
          () -> pool.getHikariPoolMXBean().getActiveConnections() <= 2);
      assertThat(rolledBack).isNotDone();
      end.countDown();
      Await.that("the transaction has ended", SOON, rolledBack::isDone);
      assertThat(rolledBack.join()).isSameAs(handling.join());
    }
    assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
  }

  /** With 0, Spring refuses the first statement. */
  @ParameterizedTest(name = "JPA: {0}")
  @ValueSource(booleans = {false, true})
  void handler_isNotEndedByTheDefaultTimeoutOfTransactions(boolean jpa, QueueDatabase database) {
    AbstractPlatformTransactionManager manager = manager(jpa);
    manager.setDefaultTimeout(0);
    try (Worker worker = worker(manager, name -> {})) {
      database.queue().enqueue("order", "a");
      awaitNoneLeft(database);
    }
    assertThat(database.strings("SELECT name FROM item")).containsExactly("a");
  }

  private static void awaitNoneLeft(QueueDatabase database) {
    Await.that(
        "all are settled", SOON, () -> database.count("SELECT COUNT(*) FROM queue_message") == 0);
  }

  private void handleDeaf(String name) {
    if (!name.equals("deaf")) {
      return;
    }
    handling.complete(Thread.currentThread());
    boolean over = false;
    while (!over) {
      try {
        end.await();
        over = true;
      } catch (InterruptedException e) {
        over = false;
      }
    }
  }
}
