package io.rowqueue.worker.cli;

import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.admin.AdminConfig;
import io.rowqueue.worker.plugin.Plugins;
import org.jspecify.annotations.Nullable;

/** Makes a worker that has not started yet. */
@FunctionalInterface
interface WorkerLauncher {

  /**
   * A worker with these settings and the handlers of these plug-ins.
   *
   * @param admin where it shows itself; null if nowhere
   */
  Worker launch(WorkerConfig config, @Nullable AdminConfig admin, Plugins plugins);
}
