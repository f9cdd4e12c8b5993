/** Scripts of the least privileges for each role, and the check of an account against them. */
@NullMarked
package io.rowqueue.worker.internal.grant;

import org.jspecify.annotations.NullMarked;
