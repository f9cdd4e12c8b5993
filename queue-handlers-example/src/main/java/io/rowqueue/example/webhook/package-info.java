/** Posts webhooks: an effect outside the database, so it happens at least once. */
@NullMarked
package io.rowqueue.example.webhook;

import org.jspecify.annotations.NullMarked;
