/** What a message is made of. Depends on nothing else in the house. */
@NullMarked
package io.rowqueue.internal.message;

import org.jspecify.annotations.NullMarked;
