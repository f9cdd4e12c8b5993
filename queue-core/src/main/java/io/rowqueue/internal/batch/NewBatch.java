package io.rowqueue.internal.batch;

import io.rowqueue.NewMessage;
import org.jspecify.annotations.Nullable;

/**
 * A batch to be opened.
 *
 * @param name for people
 * @param shards the number of counters that its members share, 1 to 64
 * @param holds whether a dead letter counts as unsettled until it is redriven or discarded
 * @param completion with its payload as stored in the column; null if it has none
 */
public record NewBatch(
    @Nullable String name, int shards, boolean holds, @Nullable NewMessage completion) {}
