package io.rowqueue.operate;

import io.rowqueue.spi.KeyId;
import org.jspecify.annotations.Nullable;

/**
 * Stored payloads that are encrypted with one key.
 *
 * @param table the table that stores them, for example {@code queue_message}
 * @param key the key; null if the stored bytes do not reveal it: a custom wrapper was applied after
 *     the encryption, the payload is stored outside the database, or its first bytes were changed
 * @param payloads the number of payloads, at least 1
 */
public record KeyUse(String table, @Nullable KeyId key, long payloads) {}
