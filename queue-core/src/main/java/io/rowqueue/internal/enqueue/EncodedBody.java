package io.rowqueue.internal.enqueue;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A payload as stored in its column, encoded and wrapped, and the headers that describe it.
 *
 * @param payload the bytes, within the limits
 * @param headers the message's own headers, and those that readers need to decode the payload
 * @param json the headers as stored in their column, within the limits; null if there are none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record EncodedBody(byte[] payload, Map<String, String> headers, @Nullable String json) {}
