package io.rowqueue.testkit;

import io.rowqueue.PayloadException;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/** Decodes and compares payloads in tests: as JSON, unless bytes are requested. */
final class Payloads {

  private static final int LONGEST_TEXT = 300;
  private static final PayloadCodec JSON = PayloadCodec.json();

  private Payloads() {}

  static <T> T decode(byte[] payload, Class<T> type) {
    return type.cast(JSON.decode(payload, type));
  }

  /**
   * Returns whether {@code payload} equals {@code expected}. Both are encoded by the same codec, so
   * that whitespace and types without equals do not matter.
   */
  static boolean isEqual(byte[] payload, Object expected) {
    try {
      Object actual = decode(payload, expected.getClass());
      return Arrays.equals(JSON.encode(actual), JSON.encode(expected));
    } catch (PayloadException e) {
      return false;
    }
  }

  static String text(byte[] payload, Map<String, String> headers) {
    String wrapped = headers.get(Headers.WRAPPED);
    if (wrapped != null) {
      return "%d bytes, wrapped by %s".formatted(payload.length, wrapped);
    }
    String text = new String(payload, StandardCharsets.UTF_8);
    return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
  }

  static String text(Object payload) {
    return text(JSON.encode(payload), Map.of());
  }
}
