package io.rowqueue.worker.internal.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonLinesTest {

  private static JsonLines lines(byte[] bytes, long from) {
    return new JsonLines(new ByteArrayInputStream(bytes), 40, from);
  }

  private static List<String> read(String text) throws IOException {
    return read(lines(text.getBytes(UTF_8), 1));
  }

  private static List<String> read(JsonLines lines) throws IOException {
    List<String> all = new ArrayList<>();
    for (JsonLines.Line line = lines.next(); line != null; line = lines.next()) {
      all.add(line.number() + ":" + new String(line.json(), UTF_8));
    }
    return all;
  }

  @Test
  void next_valuesOfEveryKind_asTheyStand() throws IOException {
    assertThat(read("{\"a\": 1.50}\n[1, 2]\n\"ü\"\n12\nnull"))
        .containsExactly("1:{\"a\": 1.50}", "2:[1, 2]", "3:\"ü\"", "4:12", "5:null");
  }

  @Test
  void next_emptyInput_isTheEnd() throws IOException {
    assertThat(read("")).isEmpty();
    assertThat(read("\n\n")).isEmpty();
  }

  @Test
  void next_blankLines_arePassedOverAndCounted() throws IOException {
    assertThat(read("1\n\n  \t\n2\n")).containsExactly("1:1", "4:2");
  }

  @Test
  void next_crlfAndByteOrderMark_areNoPartOfTheValue() throws IOException {
    assertThat(read("\uFEFF{}\r\n\r\n[]\r\n")).containsExactly("1:{}", "3:[]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"{", "{} {}", "{'a':1}", "nul", "1,", "{\"a\":}", "\uFEFF1", "[1]]"})
  void next_noJson_namesTheLine(String bad) {
    assertThatThrownBy(() -> read("{}\n\n" + bad + "\n{}"))
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("line 3 is not JSON: ");
  }

  @Test
  void next_noUtf8_namesTheLine() {
    byte[] bytes = {'"', (byte) 0xC3, '"'};
    assertThatThrownBy(() -> read(lines(bytes, 1)))
        .hasMessageContaining("line 1 is not JSON: it is not UTF-8");
  }

  @Test
  void next_lineAtTheLimitAndAboveIt_passesAndIsRefused() throws IOException {
    String longest = "\"" + "x".repeat(38) + "\"";
    assertThat(read(longest + "\r\n")).containsExactly("1:" + longest);
    assertThatThrownBy(() -> read("1\n\"" + "x".repeat(10_000) + "\"\n"))
        .hasMessageContaining("line 2 has more than 40 bytes");
  }

  @Test
  void next_fromALaterLine_doesNotPollAtTheEarlier() throws IOException {
    assertThat(read(lines("{bad\n2\n3\n".getBytes(UTF_8), 3))).containsExactly("3:3");
  }
}
