package io.rowqueue.proof.crash;

import io.rowqueue.tests.process.Processes;
import io.rowqueue.tests.process.Program;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the process is that dies in a scene.
 *
 * @param worker whether it is a worker, or {@link Program}
 * @param arguments of its command line
 */
record Role(boolean worker, List<String> arguments) {

  static Role worker(String... options) {
    return new Role(true, List.of(options));
  }

  static Role program(String what) {
    return new Role(false, List.of(what));
  }

  ProcessBuilder process(String url, Path plugins) {
    if (!worker) {
      return Processes.program(Program.class, url, arguments.get(0));
    }
    List<String> options = new ArrayList<>(List.of("--threads", "2", "--drain", "200ms"));
    options.addAll(arguments);
    return Processes.worker(url, plugins, options.toArray(String[]::new));
  }
}
