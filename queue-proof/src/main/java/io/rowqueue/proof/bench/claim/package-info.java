/** What one claim costs beside much that is not to be claimed. */
@NullMarked
package io.rowqueue.proof.bench.claim;

import org.jspecify.annotations.NullMarked;
