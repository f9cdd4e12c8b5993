/** What one claim costs beside much that is not to be claimed. */
@NullMarked
package io.rowqueue.bench.claim;

import org.jspecify.annotations.NullMarked;
