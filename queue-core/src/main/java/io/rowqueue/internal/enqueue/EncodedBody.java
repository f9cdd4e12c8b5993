package io.rowqueue.internal.enqueue;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A payload as its column holds it, encoded and wrapped, and the headers that tell its readers how.
 *
 * @param payload its bytes, within the limits
 * @param headers the message's own, and what readers must know of the payload
 * @param json the headers as their column holds them, within the limits; null if there are none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record EncodedBody(byte[] payload, Map<String, String> headers, @Nullable String json) {}
