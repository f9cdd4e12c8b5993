package io.rowqueue.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.handler.Outcome;
import io.rowqueue.spring.shop.Items;
import io.rowqueue.spring.shop.Order;
import io.rowqueue.spring.shop.Orders;
import io.rowqueue.spring.shop.ShopApplication;
import io.rowqueue.spring.shop.Writer.Way;
import io.rowqueue.testkit.HandledMessage;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.TestQueue;
import io.rowqueue.testkit.TestWorker;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.ActiveProfiles;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.annotation.Transactional;

/** Applications under {@link QueueTest}. */
class QueueTestIT {

  private static final QueueDatabase DATABASE = QueueDatabase.create();

  static {
    DATABASE.execute(Applications.ITEM);
  }

  static void properties(DynamicPropertyRegistry registry) {
    Applications.arguments(DATABASE, 5)
        .forEach(
            argument -> {
              String[] property = argument.substring(2).split("=", 2);
              registry.add(property[0], () -> property[1]);
            });
  }

  @AfterAll
  static void drop() {
    DATABASE.close();
  }

  /** Messages are handled on demand. */
  @Nested
  @DirtiesContext
  // snippet: spring-queue-test
  @SpringBootTest(classes = ShopApplication.class)
  @ActiveProfiles("handlers")
  @QueueTest
  class OrdersTest {

    @Autowired Orders orders;
    @Autowired Items items;
    @Autowired TestWorker worker;
    @Autowired TestQueue queue;

    @Test
    void order_isInvoiced() {
      orders.place("tea");
      assertThat(queue).hasEnqueued("order.placed").once();
      worker.drain();
      assertThat(items.existsById("invoice-tea")).isTrue();
      assertThat(queue).isEmpty();
    }

    // end snippet

    @DynamicPropertySource
    static void properties(DynamicPropertyRegistry registry) {
      QueueTestIT.properties(registry);
    }

    @BeforeEach
    void clean(@Autowired QueueDatabase database) {
      database.clean();
      items.deleteAll();
    }

    @Test
    void application_hasNoWorker(@Autowired ApplicationContext context) {
      assertThat(context.getBeanNamesForType(ApplicationWorker.class)).isEmpty();
      assertThat(DATABASE.count("SELECT COUNT(*) FROM queue_worker")).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void handlerThatFails_leavesNothing(Way way, @Autowired QueueTemplate template) {
      template.enqueue("order", new Order("a", way, Order.Then.THROW));
      assertThat(worker.runOnce())
          .extracting(HandledMessage::outcome)
          .containsExactly(Outcome.RETRIED);
      assertThat(items.count()).isZero();
    }
  }

  /** Messages are handled at once, and the test rolls everything back. */
  @Nested
  @DirtiesContext
  // snippet: spring-queue-test-inline
  @SpringBootTest(classes = ShopApplication.class)
  @ActiveProfiles("handlers")
  @QueueTest(inline = true)
  @Transactional
  class InlineOrdersTest {

    @Autowired Orders orders;
    @Autowired Items items;
    @Autowired TestQueue queue;

    @Test
    void order_isInvoiced() {
      orders.place("coffee");
      assertThat(items.existsById("invoice-coffee")).isTrue();
      assertThat(queue).isEmpty();
    }

    // end snippet

    @DynamicPropertySource
    static void properties(DynamicPropertyRegistry registry) {
      QueueTestIT.properties(registry);
    }

    /** The test before has the key, too. */
    @Test
    void order_ofAnotherTest_wasRolledBack() {
      order_isInvoiced();
      assertThat(DATABASE.strings("SELECT name FROM item WHERE name LIKE '%coffee'")).isEmpty();
    }

    @Test
    void handlerThatFails_makesTheEnqueueThrow(@Autowired QueueTemplate template) {
      Order order = new Order("a", Way.JDBC, Order.Then.THROW);
      assertThatThrownBy(() -> template.enqueue("order", order))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("never");
      assertThat(items.existsById("a")).isFalse();
    }

    @Test
    void messageWithoutHandler_staysInTheTestsTransaction(@Autowired QueueTemplate template) {
      template.enqueue("unhandled", "a");
      assertThat(queue).hasEnqueued("unhandled").once();
      assertThat(DATABASE.count("SELECT COUNT(*) FROM queue_message")).isZero();
    }

    @ParameterizedTest
    @EnumSource
    @Transactional(propagation = org.springframework.transaction.annotation.Propagation.NEVER)
    void enqueue_outsideATransaction_commitsWhatItsHandlerWrites(
        Way way, @Autowired QueueTemplate template, @Autowired JdbcTemplate jdbc) {
      template.enqueue("order", new Order("alone-" + way, way, Order.Then.RETURN));
      assertThat(DATABASE.strings("SELECT name FROM item")).contains("alone-" + way);
      jdbc.update("DELETE FROM item WHERE name LIKE 'alone-%'");
    }
  }
}
