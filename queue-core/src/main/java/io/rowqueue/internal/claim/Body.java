package io.rowqueue.internal.claim;

import io.rowqueue.internal.message.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Payload and headers of a message. A claim reads bodies up to {@link #INLINE_BYTES}; a larger one
 * is loaded by itself when its handling begins, so that memory is bounded in bytes and not in rows.
 *
 * @param loaded whether payload and headers were read
 * @param payload the encoded payload; empty while not loaded. Not copied: never change it
 * @param headers the headers' JSON; null if there are none, or while not loaded
 * @param payloadBytes the payload's length in the database
 * @param headersBytes the length of the headers' JSON in the database
 */
@SuppressWarnings("ArrayRecordComponent") // payloads are large and never compared
public record Body(
    boolean loaded,
    byte[] payload,
    @Nullable String headers,
    long payloadBytes,
    long headersBytes) {

  /** The largest payload, and the largest headers, that a claim reads with the row, in bytes. */
  public static final int INLINE_BYTES = 32 << 10;

  /** Whether the payload is stored separately, according to the headers. */
  public boolean isExternal() {
    return payloadBytes == 0 && headers != null && headers.contains(Headers.BODY);
  }

  /** How much memory the body takes while it waits, in bytes. */
  public long waitingBytes() {
    return loaded ? payloadBytes + headersBytes : 0;
  }
}
