package io.rowqueue.worker.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.rowqueue.message.InvalidMessageException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads one JSON value a line, in chunks. Blank lines and a byte order mark are passed over. */
final class JsonLines {

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private final BufferedReader reader;
  private long line;

  JsonLines(BufferedReader reader) {
    this.reader = reader;
  }

  /** The number of the last line that was read, 1 for the first. */
  long line() {
    return line;
  }

  /**
   * Up to {@code count} more payloads; empty at the end.
   *
   * @throws InvalidMessageException if a line is no JSON; it names the line
   */
  List<byte[]> next(int count) throws IOException {
    List<byte[]> payloads = new ArrayList<>();
    String text = "";
    while (payloads.size() < count && (text = reader.readLine()) != null) {
      line++;
      String bare = line == 1 && text.startsWith("\uFEFF") ? text.substring(1) : text;
      if (!bare.isBlank()) {
        payloads.add(checked(bare, line));
      }
    }
    return payloads;
  }

  static byte[] checked(String json, long line) {
    try {
      MAPPER.readTree(json);
      return json.getBytes(StandardCharsets.UTF_8);
    } catch (JsonProcessingException e) {
      throw new InvalidMessageException(
          "line %d is no JSON: %s".formatted(line, e.getOriginalMessage()), e);
    }
  }
}
