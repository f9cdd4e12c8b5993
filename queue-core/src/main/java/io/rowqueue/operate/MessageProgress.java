package io.rowqueue.operate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A handler's progress, as it reported up to a second ago.
 *
 * @param done how much is done
 * @param total how much there is; null if the handler did not report it
 * @param note the handler's text; may be empty, and must be escaped before it is shown in a
 *     terminal
 * @param at when it was written, by the database's clock
 */
public record MessageProgress(long done, @Nullable Long total, String note, Instant at) {}
