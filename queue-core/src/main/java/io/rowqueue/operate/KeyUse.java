package io.rowqueue.operate;

import io.rowqueue.spi.KeyId;
import org.jspecify.annotations.Nullable;

/**
 * Payloads that one key still has to open.
 *
 * @param table the table that they lie in, such as {@code queue_message}
 * @param key the key; null where that cannot be told without more: a wrapper of a team's own is
 *     round the seal, the payload lies outside of the database, or its beginning was changed
 * @param payloads how many, at least 1
 */
public record KeyUse(String table, @Nullable KeyId key, long payloads) {}
