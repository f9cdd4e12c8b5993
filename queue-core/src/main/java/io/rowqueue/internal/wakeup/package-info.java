/**
 * Notification of idle workers after a commit.
 *
 * <p>Notifications only reduce latency: every worker also polls at least once a second, so a
 * notification that is lost, refused or never sent costs up to a second and nothing else.
 */
@NullMarked
package io.rowqueue.internal.wakeup;

import org.jspecify.annotations.NullMarked;
