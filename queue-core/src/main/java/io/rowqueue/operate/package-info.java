/** The API of operators: messages, topics, dead letters, schedules, batches, workers. */
@NullMarked
package io.rowqueue.operate;

import org.jspecify.annotations.NullMarked;
