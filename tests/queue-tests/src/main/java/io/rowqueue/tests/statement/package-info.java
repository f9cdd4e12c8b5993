/** The core over connections whose statements are seen, and can be refused. */
@NullMarked
package io.rowqueue.tests.statement;

import org.jspecify.annotations.NullMarked;
