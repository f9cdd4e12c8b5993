/** Where messages are set aside that no further attempt will be made for, and brought back from. */
@NullMarked
package io.rowqueue.internal.deadletter;

import org.jspecify.annotations.NullMarked;
