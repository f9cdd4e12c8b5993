package io.rowqueue.spi;

import org.jspecify.annotations.Nullable;

/**
 * A payload as the column holds it.
 *
 * @param payload its bytes, wrapped or as they were
 * @param mark what its header says; null if it is as it was
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Wrapped(byte[] payload, @Nullable String mark) {}
