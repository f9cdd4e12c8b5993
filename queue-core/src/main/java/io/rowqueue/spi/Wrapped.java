package io.rowqueue.spi;

import org.jspecify.annotations.Nullable;

/**
 * A payload as stored in the column.
 *
 * @param payload its bytes, wrapped or unchanged
 * @param mark the value of its header; null if it is unchanged
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Wrapped(byte[] payload, @Nullable String mark) {}
