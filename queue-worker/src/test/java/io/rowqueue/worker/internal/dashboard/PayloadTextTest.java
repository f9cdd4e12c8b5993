package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class PayloadTextTest {

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static PayloadText of(String text) {
    return PayloadText.of(bytes(text), true);
  }

  @Test
  void json_isIndented_andSaysWhatItSaid() {
    PayloadText text =
        of("{\"b\":[1,{}, []],\"a\" : \"x,{y}\\\" \",\"b\":123456789012345678901.0}");
    assertThat(text.kind()).isEqualTo("JSON");
    assertThat(text.text())
        .isEqualTo(
            """
            {
              "b": [
                1,
                {},
                []
              ],
              "a": "x,{y}\\" ",
              "b": 123456789012345678901.0
            }\
            """);
  }

  @Test
  void textThatIsNoJson_staysAsItIs() {
    assertThat(of("{not: json").text()).isEqualTo("{not: json");
    assertThat(of("{} {}").kind()).isEqualTo("text");
    assertThat(of("").kind()).isEqualTo("empty");
  }

  @Test
  void deepNesting_doesNotFillThePage() {
    assertThat(of("[".repeat(500) + "]".repeat(500)).text().length()).isLessThan(100_000);
    String deeper = "[".repeat(65_536);
    assertThat(PayloadText.of(bytes(deeper), false).text().length()).isLessThan(300_000);
    String wide = "[".repeat(24) + "1,".repeat(6_000) + "1" + "]".repeat(24);
    assertThat(of(wide).whole()).isFalse();
    assertThat(of("[1]").whole()).isTrue();
    assertThat(PayloadText.of(bytes("[1]"), false).whole()).isFalse();
  }

  @Test
  void beginning_thatEndsWithinACharacter_isText() {
    byte[] cut = Arrays.copyOf(bytes("[\"ä"), 3);
    assertThat(PayloadText.of(cut, false).text()).isEqualTo("[\n  \"");
    assertThat(PayloadText.of(cut, true).kind()).isEqualTo("binary, as hex");
  }

  @Test
  void bytes_areHex() {
    assertThat(PayloadText.of(new byte[] {0, 1, (byte) 0xff, 'A'}, true).text())
        .startsWith("00000000  00 01 ff 41 ")
        .contains("...A");
    PayloadText thousand = PayloadText.of(new byte[1_000], true);
    assertThat(thousand.kind()).isEqualTo("binary, as hex");
    assertThat(thousand.whole()).isTrue();
    assertThat(PayloadText.of(new byte[5_000], true).whole()).isFalse();
  }

  @Test
  void hiddenCharacters_areShownByTheirCodes() {
    assertThat(of("a\u202egpj.exe\u001b[2J").text()).isEqualTo("a\\u202egpj.exe\\u001b[2J");
  }
}
