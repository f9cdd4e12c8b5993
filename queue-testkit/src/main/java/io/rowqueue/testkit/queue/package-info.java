/** What lies in a queue, as tests look at it, and assertions about it. */
@NullMarked
package io.rowqueue.testkit.queue;

import org.jspecify.annotations.NullMarked;
