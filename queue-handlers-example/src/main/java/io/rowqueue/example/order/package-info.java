/** Takes orders: stock, order and confirmation in the message's own transaction, exactly once. */
@NullMarked
package io.rowqueue.example.order;

import org.jspecify.annotations.NullMarked;
