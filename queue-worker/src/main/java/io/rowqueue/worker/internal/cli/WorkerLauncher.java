package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.plugin.Plugins;

/** Makes a worker that has not started yet. */
@FunctionalInterface
interface WorkerLauncher {

  /**
   * A worker with these settings and the handlers of these plug-ins.
   *
   * @param shown how it is shown to others
   */
  Worker launch(WorkerConfig config, AdminOptions.Shown shown, Plugins plugins);
}
