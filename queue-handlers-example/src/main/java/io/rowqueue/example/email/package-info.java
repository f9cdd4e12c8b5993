/** Sends e-mail: an effect outside the database, so it happens at least once. */
@NullMarked
package io.rowqueue.example.email;

import org.jspecify.annotations.NullMarked;
