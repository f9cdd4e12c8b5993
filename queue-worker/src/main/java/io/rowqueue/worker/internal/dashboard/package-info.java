/**
 * The web dashboard on the admin port: shows the queue's contents and lets operators change them.
 * Loaded only if enabled.
 *
 * <p>{@link io.rowqueue.worker.internal.dashboard.Gate} authenticates a request, then {@link
 * io.rowqueue.worker.internal.dashboard.Pages} routes it. Pages read through the {@code Jooq*}
 * classes, each of which limits the rows it reads, and change through the services that the command
 * line uses. {@link io.rowqueue.worker.internal.dashboard.Audit} logs every change.
 */
@NullMarked
package io.rowqueue.worker.internal.dashboard;

import org.jspecify.annotations.NullMarked;
