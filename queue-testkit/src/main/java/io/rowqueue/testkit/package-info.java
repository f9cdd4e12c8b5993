/** Tools for testing handlers: fixtures, fakes, and a clean schema on a real server. */
@NullMarked
package io.rowqueue.testkit;

import org.jspecify.annotations.NullMarked;
