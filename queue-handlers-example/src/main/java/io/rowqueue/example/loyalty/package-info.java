/** Keeps the customers' points: a short effect in the database, many to a commit. */
@NullMarked
package io.rowqueue.example.loyalty;

import org.jspecify.annotations.NullMarked;
