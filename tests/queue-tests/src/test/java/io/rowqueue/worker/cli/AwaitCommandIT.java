package io.rowqueue.worker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.PermanentFailure;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.ShippedCommand;
import io.rowqueue.tests.ShippedCommand.Said;
import io.rowqueue.tests.TestWorker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Results on the command line. */
@QueueTest
class AwaitCommandIT {

  private final QueueDatabase database;
  private final ShippedCommand command;

  AwaitCommandIT(QueueDatabase database) {
    this.database = database;
    this.command = new ShippedCommand(database);
  }

  @Test
  void enqueueAwait_printsWhatTheHandlerGaveBack_andSoDoesAnotherAwait() throws Exception {
    try (TestWorker worker = TestWorker.start(database, doubling())) {
      assertThat(command.done("enqueue --topic order --payload {\"number\":21} --await 20s"))
          .isEqualTo("42");
      String id = database.strings("SELECT message_id FROM queue_result").get(0);
      assertThat(command.done("messages await " + id)).isEqualTo("42");
    }
  }

  @Test
  void await_ofDeadLettersAndOfWhatTakesLonger_failsInOneLine() throws Exception {
    long id =
        MessageProducer.create()
            .enqueue(database.dataSource(), NewMessage.of("order", new Order(-1)))
            .value();
    Said early = command.run("messages await %d --timeout 0s".formatted(id));
    assertThat(early.exitCode()).isEqualTo(1);
    assertThat(early.err()).contains("has no result yet").hasLineCount(1);
    try (TestWorker worker = TestWorker.start(database, doubling())) {
      Said dead = command.run("messages await %d --timeout 20s".formatted(id));
      assertThat(dead.exitCode()).isEqualTo(1);
      assertThat(dead.err())
          .contains("it is a dead letter (permanent-failure)", "negative")
          .hasLineCount(1);
    }
    assertThat(command.run("enqueue --topic a --publish --payload 1 --await 1s").exitCode())
        .isEqualTo(2);
  }

  private static Module doubling() {
    return LambdaHandlers.bindResult(
        "order",
        Order.class,
        (order, context) -> {
          if (order.number() < 0) {
            throw new PermanentFailure("negative");
          }
          return 2 * order.number();
        },
        HandlerSettings.defaults().withResults(Duration.ofHours(1)));
  }
}
