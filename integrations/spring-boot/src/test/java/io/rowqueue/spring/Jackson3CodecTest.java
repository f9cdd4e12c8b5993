package io.rowqueue.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.PayloadException;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;

class Jackson3CodecTest {

  private final Jackson3Codec codec =
      new Jackson3Codec(
          JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build());

  private record Placed(String orderName, Instant at) {}

  @Test
  void payload_roundTrips_byTheApplicationsSettings() {
    Placed placed = new Placed("a", Instant.parse("2026-11-28T12:00:00.123456Z"));
    byte[] bytes = codec.encode(placed);
    assertThat(new String(bytes, UTF_8)).contains("order_name");
    assertThat(codec.decode(bytes, Placed.class)).isEqualTo(placed);
  }

  /** An older version of {@link Placed}, before an upcaster and after it. */
  @Test
  void tree_keepsEveryDigit_andBecomesThePayload() {
    Map<String, Object> tree =
        codec.readTree(
            "{\"order_name\":\"a\",\"amount\":90071992547409.93,\"count\":1}".getBytes(UTF_8));
    assertThat(tree)
        .containsEntry("amount", new BigDecimal("90071992547409.93"))
        .containsEntry("count", 1);
    tree.put("at", "2026-11-28T12:00:00Z");
    assertThat(codec.decode(tree, Placed.class))
        .isEqualTo(new Placed("a", Instant.parse("2026-11-28T12:00:00Z")));
    tree.put("at", "never");
    assertThatThrownBy(() -> codec.decode(tree, Placed.class)).isInstanceOf(PayloadException.class);
  }

  @Test
  void bytes_passUnchanged() {
    byte[] bytes = {1, 2};
    assertThat(codec.encode(bytes)).isSameAs(bytes);
    assertThat(codec.decode(bytes, byte[].class)).isSameAs(bytes);
  }

  @Test
  void wrongJson_isRefused() {
    for (String wrong : new String[] {"{", "null", "[]"}) {
      assertThatThrownBy(() -> codec.decode(wrong.getBytes(UTF_8), Placed.class))
          .isInstanceOf(PayloadException.class);
      assertThatThrownBy(() -> codec.readTree(wrong.getBytes(UTF_8)))
          .isInstanceOf(PayloadException.class);
    }
  }

  @Test
  void mapperWithDefaultTyping_isRefused() {
    JsonMapper mapper =
        JsonMapper.builder()
            .activateDefaultTyping(
                BasicPolymorphicTypeValidator.builder().allowIfSubType(Object.class).build(),
                DefaultTyping.NON_FINAL)
            .build();
    assertThatThrownBy(() -> new Jackson3Codec(mapper))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("default typing");
  }
}
