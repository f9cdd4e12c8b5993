/** Real database servers for tests. */
@NullMarked
package io.rowqueue.testkit.server;

import org.jspecify.annotations.NullMarked;
