/** Handlers, their settings, schedules and subscriptions, and their binders for Guice modules. */
@NullMarked
package io.rowqueue.handler;

import org.jspecify.annotations.NullMarked;
