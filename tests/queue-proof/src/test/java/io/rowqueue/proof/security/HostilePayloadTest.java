package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import io.rowqueue.PayloadException;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.spi.PayloadCodec;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostilePayloadTest {

  /** What a stranger would like to have made. */
  static final class Gadget {
    static int made;

    @SuppressWarnings("StaticAssignmentInConstructor")
    Gadget() {
      made++;
    }

    void setCommand(String command) {
      made += command.length();
    }
  }

  record Anything(Object value) {}

  record Numbers(BigInteger whole, BigDecimal any, long small, double floating) {}

  record Times(Instant at, Duration length) {}

  record Text(String text) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
  interface NamedByClass {}

  record OneClass(int number) implements NamedByClass {}

  record Holder(@JsonTypeInfo(use = JsonTypeInfo.Id.MINIMAL_CLASS) Object held) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
  @JsonSubTypes(@JsonSubTypes.Type(value = Circle.class, name = "circle"))
  interface Shape {}

  record Circle(int radius) implements Shape {}

  private static Object decode(String json, Type type) {
    return PayloadCodec.json().decode(json.getBytes(StandardCharsets.UTF_8), type);
  }

  private static void refused(String json, Type type) {
    assertThatThrownBy(() -> decode(json, type)).isInstanceOf(PayloadException.class);
  }

  private static final String GADGET = Gadget.class.getName();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'@class': 'G', 'command': 'x'}",
        "['G', {'command': 'x'}]",
        "{'@type': 'G'}",
        "{'@c': 'G'}",
        "{'type': 'G', 'class': 'G'}",
        "{'G': {'command': 'x'}}",
        "['com.sun.rowset.JdbcRowSetImpl', {'dataSourceName': 'ldap://h/x', 'autoCommit': true}]",
        "['java.net.URL', 'http://127.0.0.1:1/']"
      })
  void classNames_inTheBytes_areJustText(String template) {
    String json = template.replace('\'', '"').replace("\"G\"", "\"" + GADGET + "\"");
    for (String inside : List.of(json, "[" + json + "]")) {
      assertThat(decode(inside, Object.class))
          .isInstanceOfAny(LinkedHashMap.class, ArrayList.class);
    }
    Anything anything = (Anything) decode("{\"value\":" + json + "}", Anything.class);
    assertThat(anything.value()).isInstanceOfAny(LinkedHashMap.class, ArrayList.class);
    assertThat(Gadget.made).as("gadgets made").isZero();
  }

  @Test
  void types_thatLetTheBytesNameAClass_areRefusedWhateverTheBytesSay() {
    refused("{\"@class\":\"" + OneClass.class.getName() + "\",\"number\":1}", NamedByClass.class);
    refused("{\"@class\":\"" + GADGET + "\"}", NamedByClass.class);
    refused("{\"held\":{\"@c\":\"" + GADGET + "\"}}", Holder.class);
    assertThat(Gadget.made).isZero();
  }

  @Test
  void subtypesByName_fromTheTypesOwnList_areFine_andOthersRefused() {
    assertThat(decode("{\"kind\":\"circle\",\"radius\":2}", Shape.class)).isEqualTo(new Circle(2));
    refused("{\"kind\":\"" + GADGET + "\"}", Shape.class);
  }

  @Test
  @Timeout(60)
  void nesting_beyondTheLimit_isRefusedWithoutExhaustingTheStack() {
    for (int depth : new int[] {501, 100_000, 2_000_000}) {
      for (Type type : new Type[] {Object.class, Anything.class, Text.class}) {
        refused("[".repeat(depth), type);
        refused("{\"value\":".repeat(depth), type);
        refused("{\"unknown\":" + "[".repeat(depth), type);
      }
    }
    assertThatThrownBy(() -> decode("[".repeat(501) + "]".repeat(501), Object.class))
        .hasMessageContaining("depth (501)");
    assertThat(decode("[".repeat(500) + "]".repeat(500), Object.class)).isInstanceOf(List.class);
  }

  @Test
  @Timeout(60)
  void numbers_beyondTheLimit_areRefusedBeforeTheyAreComputed() {
    for (String number : new String[] {"9".repeat(1_001), "9".repeat(4_000_000)}) {
      refused("{\"whole\":" + number + "}", Numbers.class);
      refused("{\"any\":0." + number + "}", Numbers.class);
      refused("[" + number + "]", Object.class);
    }
    refused("{\"whole\":1e1000000000}", Numbers.class);
    refused("{\"small\":1e1000000000}", Numbers.class);
    refused("{\"whole\":\"" + "9".repeat(1_001) + "\"}", Numbers.class);
    assertThat(decode("{\"whole\":" + "9".repeat(1_000) + "}", Numbers.class)).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e1000000000", "1e10000000", "-1e1000000000", "1e-1000000000"})
  @Timeout(20)
  void times_ofAbsurdNumbers_costNothing(String number) {
    for (String field : List.of("at", "length")) {
      try {
        assertThat(decode("{\"%s\":%s}".formatted(field, number), Times.class)).isNotNull();
      } catch (PayloadException e) {
        assertThat(e).hasMessageContaining("not valid JSON for a");
      }
    }
  }

  @Test
  void texts_areAsLongAsPayloadsMayBe() {
    String text = "a".repeat(21_000_000);
    assertThat(decode("{\"text\":\"" + text + "\"}", Text.class)).isEqualTo(new Text(text));
  }

  @Test
  void nesting_ofAPayloadToEncode_hasTheLimitThatItIsDecodedWith() {
    assertThat(PayloadCodec.json().encode(nested(500))).hasSize(1_000);
    assertThatThrownBy(() -> PayloadCodec.json().encode(nested(501)))
        .isInstanceOf(PayloadException.class);
  }

  private static List<Object> nested(int depth) {
    List<Object> nested = List.of();
    for (int i = 1; i < depth; i++) {
      nested = List.of(nested);
    }
    return nested;
  }

  @Test
  void circle_asAPayload_isRefusedAndNoStackOverflow() {
    Map<String, Object> circle = new LinkedHashMap<>();
    circle.put("self", circle);
    assertThatThrownBy(() -> PayloadCodec.json().encode(circle))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("cannot be written as JSON");
  }

  @Test
  void headers_deepOrWithClassNames_areRefusedOrText() {
    assertThatThrownBy(() -> Headers.parse("{\"a\":" + "[".repeat(100_000)))
        .isInstanceOf(PayloadException.class);
    assertThat(Headers.parse("{\"@class\":\"" + GADGET + "\"}")).containsEntry("@class", GADGET);
    assertThat(Gadget.made).isZero();
  }
}
