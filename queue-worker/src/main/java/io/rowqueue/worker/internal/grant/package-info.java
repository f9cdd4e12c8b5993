/** The least privileges that each account needs, as scripts, and whether an account has them. */
@NullMarked
package io.rowqueue.worker.internal.grant;

import org.jspecify.annotations.NullMarked;
