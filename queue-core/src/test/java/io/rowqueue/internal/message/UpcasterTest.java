package io.rowqueue.internal.message;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.PayloadException;
import io.rowqueue.PayloadVersion;
import io.rowqueue.handler.Upcasters;
import io.rowqueue.handler.VersionedDecoder;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.UnreadableException;
import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Payloads of old versions become today's type, and what cannot is told from what another can. */
class UpcasterTest {

  @PayloadVersion(4)
  record Paid(String order, long cents, String currency, String channel) {}

  record Plain(String order) {}

  @PayloadVersion(2)
  interface Event {}

  record Refunded(String order) implements Event {}

  @PayloadVersion(10_000)
  record Beyond(String order) {}

  private static final Upcasters STEPS =
      Upcasters.to(Paid.class)
          .from(1, tree -> tree.put("currency", "EUR"))
          .from(2, UpcasterTest::amountToCents)
          .from(3, tree -> tree.put("channel", "web"));

  private static final PayloadCodec JSON = PayloadCodec.json();

  /** Replaces the whole tree. */
  private static void amountToCents(Map<String, Object> tree) {
    Map<String, Object> old = new HashMap<>(tree);
    tree.clear();
    tree.put("order", old.get("order"));
    tree.put("currency", old.get("currency"));
    BigDecimal amount = new BigDecimal(Objects.requireNonNull(old.get("amount")).toString());
    tree.put("cents", amount.movePointRight(2).longValueExact());
  }

  private static Map<String, String> version(String text) {
    return Map.of(Headers.VERSION, text);
  }

  private static Object decode(String json, Map<String, String> headers) {
    return new VersionedDecoder(JSON, Paid.class, STEPS).decode(json.getBytes(UTF_8), headers);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1|{\"order\":\"a\",\"amount\":1.5}",
        "2|{\"order\":\"a\",\"amount\":1.5,\"currency\":\"EUR\"}",
        "3|{\"order\":\"a\",\"cents\":150,\"currency\":\"EUR\"}",
        "4|{\"order\":\"a\",\"cents\":150,\"currency\":\"EUR\",\"channel\":\"web\"}"
      })
  void decode_everyVersion_becomesTheNewest(String version, String json) {
    Paid newest = new Paid("a", 150, "EUR", "web");
    assertThat(decode(json, version(version))).isEqualTo(newest);
    String withMore = json.replace("{", "{\"addedLater\":{\"by\":[1,2]},");
    assertThat(decode(withMore, version(version))).as("unknown fields").isEqualTo(newest);
  }

  @Test
  void decode_rowWithoutTheHeader_isTheFirstVersion() {
    assertThat(decode("{\"order\":\"a\",\"amount\":2}", Map.of("other", "3")))
        .isEqualTo(new Paid("a", 200, "EUR", "web"));
  }

  @Test
  void decode_newerVersion_isForOthersToRead() {
    assertThatThrownBy(() -> decode("{}", version("5")))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("version 5")
        .hasMessageContaining("up to version 4");
    VersionedDecoder plain = new VersionedDecoder(JSON, Plain.class, null);
    assertThatThrownBy(() -> plain.decode(new byte[0], version("2")))
        .isInstanceOf(UnreadableException.class);
  }

  @Test
  void decode_versionThatNoStepLeadsFrom_isForNobody() {
    Upcasters late =
        Upcasters.to(Paid.class).from(3, tree -> tree.put("channel", "web")).readingFrom(3);
    VersionedDecoder decoder = new VersionedDecoder(JSON, Paid.class, late);
    assertThatThrownBy(() -> decoder.decode("{}".getBytes(UTF_8), version("2")))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("no upcaster from version 2");
    Upcasters onlyNewest = Upcasters.to(Paid.class).readingFrom(4);
    VersionedDecoder without = new VersionedDecoder(new Bytes(), Paid.class, onlyNewest);
    assertThatThrownBy(() -> without.decode("{}".getBytes(UTF_8), Map.of()))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("no upcaster from version 1");
    assertThat(without.decode("x".getBytes(UTF_8), version("4"))).isEqualTo("x");
  }

  @Test
  void type_aboveTheFirstVersion_saysWhatBecomesOfOlderOnes() {
    assertThatThrownBy(() -> new VersionedDecoder(JSON, Paid.class, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nothing converts from version 1");
    refused("from version 1 to 2", Upcasters.to(Paid.class), Paid.class, JSON);
    refused("from version 1 to 2", Upcasters.to(Paid.class).from(3, tree -> {}), Paid.class, JSON);
    assertThatThrownBy(() -> Upcasters.to(Paid.class).readingFrom(5))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-1", "01", "10000", "2.0", " 2", "two", "99999999999999999999"})
  void decode_headerThatIsNoVersion_isForNobody(String text) {
    assertThatThrownBy(() -> decode("{}", version(text)))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining(Headers.VERSION);
  }

  @Test
  void decode_stepThatFails_isNamed() {
    assertThatThrownBy(() -> decode("{\"order\":\"a\"}", version("2")))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("upcaster from 2")
        .hasMessageContaining("NullPointerException");
    assertThatThrownBy(() -> decode("[1]", version("1")))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("not valid JSON for an object");
  }

  @Test
  void decode_brokenOrEmptyJsonOfAnOldVersion_isForNobody() {
    for (String json : new String[] {"{", "", "null", "{} {}"}) {
      assertThatThrownBy(() -> decode(json, version("1"))).isInstanceOf(PayloadException.class);
    }
  }

  @Test
  void decode_amountsOfOldVersions_keepEveryDigit() {
    String json = "{\"order\":\"a\",\"amount\":90071992547409.93}";
    assertThat(decode(json, version("1")))
        .isEqualTo(new Paid("a", 9_007_199_254_740_993L, "EUR", "web"));
  }

  @Test
  void decode_rawBytes_areGivenInEveryVersion() {
    VersionedDecoder decoder = new VersionedDecoder(JSON, byte[].class, null);
    byte[] bytes = {1, 2};
    assertThat(decoder.decode(bytes, version("7"))).isEqualTo(bytes);
  }

  @Test
  void versionOfAType_isThatOfItsNearestAnnotation() {
    assertThat(Versions.of(Paid.class)).isEqualTo(4);
    assertThat(Versions.of(Refunded.class)).isEqualTo(2);
    assertThat(Versions.of(Plain.class)).isEqualTo(1);
    assertThatThrownBy(() -> Versions.of(Beyond.class))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("between 1 and 9,999");
  }

  @Test
  void chain_thatContradictsItself_isRefusedWhereItIsMade() {
    Upcasters gap = Upcasters.to(Paid.class).from(1, tree -> {}).from(3, tree -> {});
    refused("gap", gap, Paid.class, JSON);
    refused("gap", Upcasters.to(Paid.class).from(1, tree -> {}), Paid.class, JSON);
    refused("lead to", STEPS, Plain.class, JSON);
    refused("TreeCodec", STEPS, Paid.class, new Bytes());
    assertThatThrownBy(() -> STEPS.from(4, tree -> {})).hasMessageContaining("has no target");
    assertThatThrownBy(() -> STEPS.from(0, tree -> {})).hasMessageContaining("has no target");
    assertThatThrownBy(() -> STEPS.from(2, tree -> {})).hasMessageContaining("two steps");
  }

  private static void refused(String words, Upcasters upcasters, Type type, PayloadCodec codec) {
    assertThatThrownBy(() -> new VersionedDecoder(codec, type, upcasters))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }

  /** A codec without trees. */
  private static final class Bytes implements PayloadCodec {
    @Override
    public byte[] encode(Object payload) {
      return payload.toString().getBytes(UTF_8);
    }

    @Override
    public Object decode(byte[] bytes, Type type) {
      return new String(bytes, UTF_8);
    }
  }
}
