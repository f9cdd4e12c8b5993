package io.rowqueue.internal.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.BasicPolymorphicTypeValidator;
import io.rowqueue.internal.message.FoundModule.DataClass;
import io.rowqueue.spi.PayloadCodec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonMapperTest {

  record Dated(Instant at) {}

  record Order(String orderNumber) {}

  record Any(@JsonProperty Object value) {}

  @Test
  void module_onTheClassPath_isUsed() {
    byte[] json = PayloadCodec.json().encode(new DataClass("tea", 3));
    assertThat(new String(json, UTF_8)).isEqualTo("{\"name\":\"tea\",\"count\":3}");
    assertThat(PayloadCodec.json().decode(json, DataClass.class))
        .usingRecursiveComparison()
        .isEqualTo(new DataClass("tea", 3));
  }

  @Test
  void module_thatChangesSettings_isOverruled() {
    PayloadCodec codec = PayloadCodec.json();
    Dated dated = new Dated(Instant.parse("2026-01-02T03:04:05Z"));
    assertThat(new String(codec.encode(dated), UTF_8))
        .isEqualTo("{\"at\":\"2026-01-02T03:04:05Z\"}");
    assertThat(codec.decode("{\"orderNumber\":\"1\",\"more\":2}".getBytes(UTF_8), Order.class))
        .isEqualTo(new Order("1"));
    byte[] named = "{\"value\":[\"java.util.ArrayList\",[]]}".getBytes(UTF_8);
    assertThat(codec.decode(named, Any.class))
        .isEqualTo(new Any(List.of("java.util.ArrayList", List.of())));
  }

  @Test
  void mapperOfTheApplication_hasItsSettings() {
    ObjectMapper mapper =
        JsonMapper.builder().propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE).build();
    PayloadCodec codec = PayloadCodec.json(mapper);
    byte[] json = codec.encode(new Order("1"));
    assertThat(new String(json, UTF_8)).isEqualTo("{\"order_number\":\"1\"}");
    assertThat(codec.decode(json, Order.class)).isEqualTo(new Order("1"));
    assertThat(codec.encode(json)).isSameAs(json);
    assertThat(new JsonPayloadCodec(mapper).readTree(json)).isEqualTo(Map.of("order_number", "1"));
  }

  @Test
  void mapperWithDefaultTyping_isRefused() {
    ObjectMapper mapper = new ObjectMapper();
    mapper.activateDefaultTyping(
        BasicPolymorphicTypeValidator.builder().allowIfSubType(List.class).build());
    assertThatThrownBy(() -> PayloadCodec.json(mapper))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("default typing");
  }
}
