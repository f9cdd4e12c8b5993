/**
 * What is done to payloads between codec and column: compression and seals, each marked in the
 * headers, so that whoever wraps runs beside whoever does not.
 */
@NullMarked
package io.rowqueue.internal.wrap;

import org.jspecify.annotations.NullMarked;
