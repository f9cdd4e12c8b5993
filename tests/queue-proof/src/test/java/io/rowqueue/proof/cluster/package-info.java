/** Real clusters of three servers: fail-over, and several writers at once. */
@NullMarked
package io.rowqueue.proof.cluster;

import org.jspecify.annotations.NullMarked;
