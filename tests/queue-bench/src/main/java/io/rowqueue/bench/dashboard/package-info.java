/** What the dashboard costs a server with very many messages. */
@NullMarked
package io.rowqueue.bench.dashboard;

import org.jspecify.annotations.NullMarked;
