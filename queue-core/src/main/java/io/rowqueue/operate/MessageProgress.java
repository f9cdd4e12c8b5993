package io.rowqueue.operate;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How far the handling of a message is, as its handler said up to a second ago.
 *
 * @param done how much is done
 * @param total how much there is; null if the handler did not say
 * @param note what the handler says; may be empty, and is not to be trusted as text for terminals
 * @param at when it was written, by the database's clock
 */
public record MessageProgress(long done, @Nullable Long total, String note, Instant at) {}
