/** Payloads that are streamed, into rows and into files, beside the same without a queue. */
@NullMarked
package io.rowqueue.bench.stream;

import org.jspecify.annotations.NullMarked;
