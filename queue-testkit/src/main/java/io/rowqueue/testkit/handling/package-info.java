/** Runs handlers through the real pipeline without a database, and says how they ended. */
@NullMarked
package io.rowqueue.testkit.handling;

import org.jspecify.annotations.NullMarked;
