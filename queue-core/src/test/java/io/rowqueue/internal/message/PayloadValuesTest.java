package io.rowqueue.internal.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.google.inject.TypeLiteral;
import io.rowqueue.MessageLimits;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadException;
import io.rowqueue.internal.enqueue.Encoder;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import java.lang.ref.WeakReference;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The table of types in docs/guides/payloads.md: what is enqueued is what the handler gets, or
 * refused.
 */
class PayloadValuesTest {

  private static final PayloadCodec JSON = PayloadCodec.json();

  record Of<T>(T value) {}

  enum Color {
    RED,
    GREEN
  }

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "type")
  @JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
  sealed interface Shape permits Circle {}

  record Circle(double r) implements Shape {}

  record Box(List<Shape> all, Optional<Shape> first) {}

  record Page<T>(List<T> items) {}

  record ByName<T>(Map<String, List<T>> all) {}

  record Maybe<T>(Optional<T> value) {}

  @SuppressWarnings("ArrayRecordComponent") // compared by its elements
  record Many<T>(T[] all) {}

  record Drawing<T extends Shape>(List<T> all) {}

  static class Base<T> {
    @JsonProperty List<T> all = List.of();

    <S extends Base<T>> S with(T value, S self) {
      all = List.of(value);
      return self;
    }
  }

  static final class Derived<T> extends Base<T> {}

  static final class Shapes extends Base<Shape> {}

  static final class Circles extends ArrayList<Shape> {
    private static final long serialVersionUID = 1;
  }

  private record Value(Object payload, Type type) {
    @Override
    public String toString() {
      return payload + " as " + type.getTypeName();
    }
  }

  static Stream<Value> values() {
    ZonedDateTime berlin = ZonedDateTime.of(2026, 7, 1, 8, 0, 0, 1, ZoneId.of("Europe/Berlin"));
    Circle circle = new Circle(1);
    return Stream.of(
        of(OffsetDateTime.parse("2026-07-01T08:00:00.123456789+09:00"), new TypeLiteral<>() {}),
        of(berlin, new TypeLiteral<>() {}),
        of(berlin.withZoneSameInstant(ZoneId.of("UTC")), new TypeLiteral<>() {}),
        of(Instant.parse("2026-07-01T08:00:00.000001Z"), new TypeLiteral<>() {}),
        of(LocalDate.of(2026, 7, 1), new TypeLiteral<>() {}),
        of(LocalDateTime.of(2026, 7, 1, 8, 0, 0, 1), new TypeLiteral<>() {}),
        of(Duration.ofNanos(90_000_000_001L), new TypeLiteral<>() {}),
        of(UUID.fromString("b3a1b2b0-0000-4000-8000-000000000001"), new TypeLiteral<>() {}),
        of(new BigDecimal("12345678901234567890.10"), new TypeLiteral<>() {}),
        of(BigInteger.TEN.pow(999), new TypeLiteral<>() {}),
        of(Long.MAX_VALUE, new TypeLiteral<>() {}),
        of(Double.MIN_VALUE, new TypeLiteral<>() {}),
        of(Color.GREEN, new TypeLiteral<>() {}),
        of(Optional.of("a"), new TypeLiteral<>() {}),
        of(Map.of("a", List.of(1, 2)), new TypeLiteral<>() {}),
        new Value(circle, Shape.class),
        new Value(new Box(List.of(circle), Optional.of(circle)), Box.class));
  }

  private static <T> Value of(T value, TypeLiteral<Of<T>> type) {
    return new Value(new Of<>(value), type.getType());
  }

  @ParameterizedTest
  @MethodSource("values")
  void value_comesAsItWasEnqueued(Value value) {
    assertThat(JSON.decode(JSON.encode(value.payload, value.type), value.type))
        .isEqualTo(value.payload);
  }

  static Stream<Value> typed() {
    Circle circle = new Circle(1);
    Derived<Shape> derived = new Derived<>();
    return Stream.of(
        new Value(List.of(circle), new TypeLiteral<List<Shape>>() {}.getType()),
        new Value(Map.of("a", circle), new TypeLiteral<Map<String, Shape>>() {}.getType()),
        new Value(Optional.of(circle), new TypeLiteral<Optional<Shape>>() {}.getType()),
        new Value(List.of(List.of(circle)), new TypeLiteral<List<List<Shape>>>() {}.getType()),
        new Value(new Of<Shape>(circle), new TypeLiteral<Of<Shape>>() {}.getType()),
        new Value(new Page<Shape>(List.of(circle)), new TypeLiteral<Page<Shape>>() {}.getType()),
        new Value(
            new ByName<Shape>(Map.of("a", List.of(circle))),
            new TypeLiteral<ByName<Shape>>() {}.getType()),
        new Value(
            new Maybe<Shape>(Optional.of(circle)), new TypeLiteral<Maybe<Shape>>() {}.getType()),
        new Value(
            new Many<Shape>(new Shape[] {circle}), new TypeLiteral<Many<Shape>>() {}.getType()),
        new Value(derived.with(circle, derived), new TypeLiteral<Derived<Shape>>() {}.getType()),
        new Value(
            new AtomicReference<Shape>(circle),
            new TypeLiteral<AtomicReference<Shape>>() {}.getType()),
        new Value(Map.entry("a", circle), new TypeLiteral<Map.Entry<String, Shape>>() {}.getType()),
        new Value(
            new Of<>(new Page<Shape>(List.of(circle))),
            new TypeLiteral<Of<Page<Shape>>>() {}.getType()));
  }

  static Stream<Object> known() {
    Circle circle = new Circle(1);
    Shapes shapes = new Shapes();
    Circles circles = new Circles();
    circles.add(circle);
    return Stream.of(
        shapes.with(circle, shapes), circles, new Drawing<>(List.of(circle)), new Shape[] {circle});
  }

  @ParameterizedTest
  @MethodSource("known")
  void subtypes_whoseDeclaredTypeTheClassTells_wantNoOther(Object payload) {
    byte[] bytes = encode(NewMessage.of("draw", payload));
    assertThat(JSON.decode(bytes, payload.getClass()))
        .usingRecursiveComparison()
        .isEqualTo(payload);
  }

  @Test
  void fields_thatCannotBeRead_areRefused() {
    Object payload = new Of<>(new WeakReference<>("a"));
    assertThatThrownBy(() -> JSON.encode(payload))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("the fields of a java.lang.ref.WeakReference cannot be read");
    assertThat(new String(JSON.encode(new Of<>(String.class)), StandardCharsets.UTF_8))
        .contains("java.lang.String");
  }

  @ParameterizedTest
  @MethodSource("typed")
  void subtypes_inWhatTellsNoType_wantIt(Value value) {
    NewMessage untyped = NewMessage.of("draw", value.payload);
    assertThatThrownBy(() -> encode(untyped))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("NewMessage.of(topic, payload, type)");
    NewMessage typed = NewMessage.of("draw", value.payload, value.type).withPriority(1);
    assertThat(JSON.decode(encode(typed), value.type))
        .usingRecursiveComparison()
        .isEqualTo(value.payload);
  }

  private static byte[] encode(NewMessage message) {
    return new Encoder(JSON, Wrapping.none(), MessageLimits.defaults()).body(message).payload();
  }

  record Fields(int number, Color color) {}

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{\"number\":1.9}",
        "{\"color\":1}",
        "{\"color\":\"BLUE\"}",
        "{\"number\":3000000000}"
      })
  void anotherValue_isNotMadeOfWhatDoesNotFit(String json) {
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> JSON.decode(bytes, Fields.class)).isInstanceOf(PayloadException.class);
  }

  @Test
  void numbers_thatCannotBeRead_areNotWritten() {
    Object tooLong = new Of<>(BigInteger.TEN.pow(1_000));
    assertThatThrownBy(() -> JSON.encode(tooLong))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("1,001 digits");
  }
}
