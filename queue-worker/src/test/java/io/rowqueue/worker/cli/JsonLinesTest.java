package io.rowqueue.worker.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.message.InvalidMessageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonLinesTest {

  private static JsonLines lines(String text) {
    return new JsonLines(new BufferedReader(new StringReader(text)));
  }

  private static List<String> texts(List<byte[]> payloads) {
    return payloads.stream().map(bytes -> new String(bytes, StandardCharsets.UTF_8)).toList();
  }

  @Test
  void next_withMarkBlankLinesAndCrLf_givesThePayloadsAsWritten() throws IOException {
    JsonLines lines = lines("\uFEFF{\"a\": 1}\r\n\r\n[2]\n  \n\"ü\"");
    assertThat(texts(lines.next(2))).containsExactly("{\"a\": 1}", "[2]");
    assertThat(texts(lines.next(2))).containsExactly("\"ü\"");
    assertThat(lines.next(2)).isEmpty();
  }

  @Test
  void next_onABadLine_namesIt() {
    assertThatThrownBy(() -> lines("{}\n\n{\"a\": 1} x\n").next(10))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("line 3 is no JSON");
  }
}
