package io.rowqueue.example;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.rowqueue.example.email.SendEmail;
import io.rowqueue.example.order.PlaceOrder;
import io.rowqueue.testkit.PayloadSamples;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ShopPayloadsTest {

  private final PayloadSamples samples =
      PayloadSamples.in(Path.of("src/test/payloads"), new ShopModule());

  @Test
  void payloads_ofThePast_canStillBeHandled() {
    assertThatCode(samples::check).doesNotThrowAnyException();
  }

  @Test
  void payloads_ofToday_areAmongTheSamples() {
    samples.checkKept(PlaceOrder.TOPIC, new PlaceOrder("o-1", "ada@example.org", "tea", 2));
    samples.checkKept(
        SendEmail.TOPIC, new SendEmail("ada@example.org", "Order o-1", "It is on its way."));
  }
}
