package io.rowqueue.worker.internal.plugin;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The fault of one jar. Internal to this package: faults are reported together. */
final class BrokenPlugin extends Exception {

  private static final long serialVersionUID = 1L;

  BrokenPlugin(Path jar, String fault, @Nullable Throwable cause) {
    super(jar.getFileName() + ": " + fault, cause);
  }
}
