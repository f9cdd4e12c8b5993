package io.rowqueue.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.rowqueue.PayloadException;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.core.type.TypeReference;
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

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
  @JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
  sealed interface Shape permits Circle {}

  record Circle(double r) implements Shape {}

  record Page<T>(List<T> items) {}

  record Pair<T>(Map<String, T> all, Optional<T> first) {}

  private record Typed(Object payload, TypeReference<?> type) {}

  /** As {@code PayloadValuesTest} has them of Jackson 2. */
  static Stream<Typed> typed() {
    Circle circle = new Circle(1);
    return Stream.of(
        new Typed(List.of(circle), new TypeReference<List<Shape>>() {}),
        new Typed(Map.of("a", circle), new TypeReference<Map<String, Shape>>() {}),
        new Typed(List.of(List.of(circle)), new TypeReference<List<List<Shape>>>() {}),
        new Typed(Map.entry("a", circle), new TypeReference<Map.Entry<String, Shape>>() {}),
        new Typed(new Page<Shape>(List.of(circle)), new TypeReference<Page<Shape>>() {}),
        new Typed(
            new Pair<Shape>(Map.of("a", circle), Optional.of(circle)),
            new TypeReference<Pair<Shape>>() {}));
  }

  @ParameterizedTest
  @MethodSource("typed")
  void subtypes_inWhatTellsNoType_wantIt(Typed value) {
    assertThatThrownBy(() -> codec.encode(value.payload))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("NewMessage.of(topic, payload, type)");
    Type type = value.type.getType();
    assertThat(codec.decode(codec.encode(value.payload, type), type)).isEqualTo(value.payload);
  }

  @Test
  void subtypes_ofADeclaredType_arriveAsTheyAre() {
    Object payload = new Drawing(List.of(new Circle(1)));
    assertThat(codec.decode(codec.encode(payload), Drawing.class)).isEqualTo(payload);
    assertThat(codec.decode(codec.encode(new Circle(1)), Shape.class)).isEqualTo(new Circle(1));
  }

  record Drawing(List<Shape> all) {}

  @Test
  void numbers_thatCannotBeRead_areNotWritten() {
    Object tooLong = List.of(BigInteger.TEN.pow(1_000));
    assertThatThrownBy(() -> codec.encode(tooLong))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("1,001 digits");
  }

  @com.fasterxml.jackson.databind.annotation.JsonNaming(
      com.fasterxml.jackson.databind.PropertyNamingStrategies.KebabCaseStrategy.class)
  record OfJackson2(String orderName) {}

  record InAMember(List<OfJackson2> all) {}

  @com.fasterxml.jackson.databind.annotation.JsonNaming(
      com.fasterxml.jackson.databind.PropertyNamingStrategies.KebabCaseStrategy.class)
  @tools.jackson.databind.annotation.JsonNaming(PropertyNamingStrategies.KebabCaseStrategy.class)
  record OfBoth(String orderName) {}

  @Test
  void annotationOfJackson2_isRefusedByName() {
    for (Type type : new Type[] {OfJackson2.class, InAMember.class}) {
      assertThatThrownBy(() -> codec.check(type))
          .isInstanceOf(PayloadException.class)
          .hasMessageContaining("com.fasterxml.jackson.databind.annotation.JsonNaming");
    }
    assertThatThrownBy(() -> codec.encode(new OfJackson2("a")))
        .isInstanceOf(PayloadException.class);
    assertThat(new String(codec.encode(new OfBoth("a")), UTF_8)).contains("order-name");
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
