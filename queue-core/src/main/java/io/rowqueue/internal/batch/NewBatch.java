package io.rowqueue.internal.batch;

import io.rowqueue.NewMessage;
import org.jspecify.annotations.Nullable;

/**
 * A batch to be opened.
 *
 * @param name for people
 * @param shards how many counters its members share, 1 to 64
 * @param holds whether a dead letter is unsettled until it is redriven or discarded
 * @param completion with its payload as the column holds it; null if it has none
 */
public record NewBatch(
    @Nullable String name, int shards, boolean holds, @Nullable NewMessage completion) {}
