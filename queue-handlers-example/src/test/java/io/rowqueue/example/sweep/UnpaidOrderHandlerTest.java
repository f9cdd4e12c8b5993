package io.rowqueue.example.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.MessageProducer;
import io.rowqueue.example.ShopDatabase;
import io.rowqueue.testkit.FakeContext;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class UnpaidOrderHandlerTest {

  @Test
  void handle_deskDown_failsBeforeAnythingIsWritten() {
    AtomicInteger requested = new AtomicInteger();
    PaymentDesk down =
        orderId -> {
          requested.incrementAndGet();
          throw new IOException("the desk is down, and was asked for " + orderId);
        };
    // Without a database to write to: had it tried, it would have failed with that.
    var handler =
        new UnpaidOrderHandler(down, ShopDatabase.fromEnvironment(), MessageProducer.create());
    assertThatThrownBy(() -> handler.handle(new UnpaidOrder("o-1", 1), FakeContext.aContext()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("o-1");
    assertThat(requested).hasValue(1);
  }
}
