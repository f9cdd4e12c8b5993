package io.rowqueue.internal.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JacksonAnnotationsInside;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import io.rowqueue.PayloadException;
import io.rowqueue.spi.PayloadCodec;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Annotations of a Jackson that is not the one that reads. */
class PayloadClassesTest {

  @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
  record Named(String orderId) {}

  record InAMember(List<Named> all) {}

  record OnAMember(@JsonSerialize(using = ToStringSerializer.class) long id) {}

  @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
  @JsonSubTypes(@JsonSubTypes.Type(Card.class))
  interface Payment {}

  @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
  record Card(String cardNumber) implements Payment {}

  record Nested(List<? extends Payment[]> all) {}

  @Retention(RetentionPolicy.RUNTIME)
  @JacksonAnnotationsInside
  @JsonNaming(PropertyNamingStrategies.SnakeCaseStrategy.class)
  @interface Snake {}

  @Snake
  record Bundled(String orderId) {}

  interface Accessor {
    Named named();
  }

  static final class Setter {
    private String id = "";

    void setNamed(Named named) {
      id = named.orderId();
    }

    @Override
    public String toString() {
      return id;
    }
  }

  /** Another Jackson may read the class that only a method uses. */
  record Plain(@JsonProperty("order_id") String orderId) {
    Named named() {
      return new Named(orderId);
    }
  }

  /** As a plug-in: these payload classes are its own, and Jackson's databind too, or nobody's. */
  private static final class Plugin extends URLClassLoader {

    private final boolean hasJackson;

    Plugin(boolean hasJackson) {
      super(new URL[] {of(PayloadClassesTest.class), of(ObjectMapper.class)});
      this.hasJackson = hasJackson;
    }

    private static URL of(Class<?> type) {
      return type.getProtectionDomain().getCodeSource().getLocation();
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      boolean jackson = name.startsWith("com.fasterxml.jackson.databind.");
      if (jackson && !hasJackson) {
        throw new ClassNotFoundException(name);
      }
      if (!jackson && !name.startsWith(PayloadClassesTest.class.getName())) {
        return super.loadClass(name, resolve);
      }
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? findClass(name) : loaded;
    }
  }

  private static Class<?> of(String name, boolean hasJackson) throws ClassNotFoundException {
    return new Plugin(hasJackson).loadClass(PayloadClassesTest.class.getName() + "$" + name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Named",
        "InAMember",
        "OnAMember",
        "Payment",
        "Nested",
        "Bundled",
        "Accessor",
        "Setter"
      })
  void annotation_ofAnotherJacksonOrOfNone_isRefusedByName(String name) throws Exception {
    for (boolean hasJackson : new boolean[] {true, false}) {
      Class<?> type = of(name, hasJackson);
      assertThatThrownBy(() -> PayloadCodec.json().check(type))
          .isInstanceOf(PayloadException.class)
          .hasMessageContaining("com.fasterxml.jackson.databind.annotation.Json");
      assertThatThrownBy(() -> PayloadCodec.json().decode(new byte[] {'{', '}'}, type))
          .isInstanceOf(PayloadException.class)
          .hasMessageContaining("databind.annotation");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Plain"})
  void sharedAnnotations_areRead(String name) throws Exception {
    Class<?> type = of(name, false);
    assertThatCode(() -> PayloadCodec.json().check(type)).doesNotThrowAnyException();
    byte[] json = {'{', '"', 'o', 'r', 'd', 'e', 'r', '_', 'i', 'd', '"', ':', '"', '7', '"', '}'};
    assertThat(PayloadCodec.json().decode(json, type)).hasToString("Plain[orderId=7]");
  }

  @ParameterizedTest
  @ValueSource(
      classes = {Named.class, InAMember.class, OnAMember.class, Payment.class, Bundled.class})
  void onOneClassPath_allAreRead(Class<?> type) {
    assertThatCode(() -> PayloadCodec.json().check(type)).doesNotThrowAnyException();
  }
}
