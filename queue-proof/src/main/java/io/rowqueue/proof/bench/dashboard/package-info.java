/** What the dashboard costs a server with very many messages. */
@NullMarked
package io.rowqueue.proof.bench.dashboard;

import org.jspecify.annotations.NullMarked;
