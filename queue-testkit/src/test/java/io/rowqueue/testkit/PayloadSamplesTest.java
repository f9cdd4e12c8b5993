package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.Module;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_PROPERTIES)
class PayloadSamplesTest {

  record Price(long cents, String currency) {}

  record Order(String sku, @Nullable String note, Price price) {}

  private static final Module SHOP = LambdaHandlers.bind("order", Order.class, (order, c) -> {});
  private static final Order TEA = new Order("tea", null, new Price(250, "EUR"));

  @TempDir Path folder;

  private PayloadSamples samples() {
    return PayloadSamples.in(folder, SHOP);
  }

  private void sample(String name, String json) throws IOException {
    Path topic = Files.createDirectories(folder.resolve("order"));
    Files.writeString(topic.resolve(name), json + "\n");
  }

  @AfterEach
  void keepNothing() {
    System.clearProperty("rowqueue.samples.update");
  }

  @Test
  void check_whatCanBeRead_passes() throws IOException {
    samples().check();
    sample("v1-a.json", "{\"sku\":\"tea\",\"price\":{\"cents\":250,\"currency\":\"EUR\"}}");
    samples().check();
  }

  @Test
  void check_whatCannot_isNamed() throws IOException {
    sample("v1-a.json", "{\"sku\":\"tea\",\"price\":{\"cents\":250}}");
    sample("v1-b.json", "{\"sku\":[],\"price\":{}}");
    sample("v2-c.json", "{}");
    sample("other.json", "{}");
    assertThatThrownBy(() -> samples().check())
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll(
            "an upcaster, or the part a default",
            "v1-a.json: Order.price.currency is null",
            "v1-b.json: the payload is not valid JSON for a",
            "v2-c.json: ",
            "other.json: its name has no version");
  }

  @Test
  void checkKept_whatIsNotThere_failsUntilItIsKept() {
    assertThatThrownBy(() -> samples().checkKept("order", TEA))
        .isInstanceOf(AssertionError.class)
        .hasMessageContainingAll("\"sku\":\"tea\"", "-Drowqueue.samples.update=true", "v1-1.json");
    System.setProperty("rowqueue.samples.update", "true");
    samples().checkKept("order", TEA);
    System.clearProperty("rowqueue.samples.update");
    samples().checkKept("order", TEA);
    samples().check();
    assertThat(folder.resolve("order/v1-1.json")).exists();
  }
}
