package io.rowqueue.bench.enqueue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.rowqueue.message.NewMessage;
import java.util.Collections;
import java.util.List;

/** The same payload for everybody: as an object, and as the bytes that it becomes. */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Payloads(Text text, byte[] bytes) {

  static final String TOPIC = "bench";

  /** What is enqueued. */
  record Text(String text) {}

  /** One whose JSON has {@code size} bytes. */
  static Payloads of(int size) {
    Text text = new Text("x".repeat(size - "{\"text\":\"\"}".length()));
    try {
      return new Payloads(text, new ObjectMapper().writeValueAsBytes(text));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A message with it. */
  NewMessage message() {
    return NewMessage.of(TOPIC, text);
  }

  /** So many of them. */
  List<NewMessage> messages(int count) {
    return Collections.nCopies(count, message());
  }
}
