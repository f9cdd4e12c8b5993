/**
 * The web dashboard: what the queue holds, and what operators do to it, as pages of the admin port.
 * Nothing of it is loaded unless it is switched on.
 *
 * <p>A request goes through {@link io.rowqueue.worker.internal.dashboard.Gate} (who asks, and may
 * he), then {@link io.rowqueue.worker.internal.dashboard.Pages} chooses what answers. Pages read
 * through the {@code Jooq*} classes, each of which walks over no more rows than it says, and change
 * through the services that the command line uses. Every change is written to the log of {@link
 * io.rowqueue.worker.internal.dashboard.Audit}.
 */
@NullMarked
package io.rowqueue.worker.internal.dashboard;

import org.jspecify.annotations.NullMarked;
