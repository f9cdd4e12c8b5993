/** Handlers, their settings, schedules and subscriptions, and how modules bind them. */
@NullMarked
package io.rowqueue.handler;

import org.jspecify.annotations.NullMarked;
