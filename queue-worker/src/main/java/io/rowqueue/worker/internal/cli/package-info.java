/**
 * The command line: {@code run}, which is the daemon, and the commands of operators, which end.
 *
 * <p>Every option that is a {@link io.rowqueue.worker.internal.cli.Settings.Setting} can also be
 * given by an environment variable or a properties file; {@link
 * io.rowqueue.worker.internal.cli.Settings} finds them. Failures end in {@link
 * io.rowqueue.worker.internal.cli.ErrorReport}, which decides the line to print and the exit code.
 */
@NullMarked
package io.rowqueue.worker.internal.cli;

import org.jspecify.annotations.NullMarked;
