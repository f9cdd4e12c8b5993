/** The command line: the daemon and what operators and scripts run beside it. */
@NullMarked
package io.rowqueue.worker.cli;

import org.jspecify.annotations.NullMarked;
