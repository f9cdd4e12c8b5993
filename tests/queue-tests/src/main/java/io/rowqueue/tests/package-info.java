/** What the test modules share: workers in this JVM, and counters of what they do. */
@NullMarked
package io.rowqueue.tests;

import org.jspecify.annotations.NullMarked;
