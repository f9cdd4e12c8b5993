package io.rowqueue.worker.internal.plugin;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** What is wrong with one jar. Never leaves this package: all of them are reported together. */
final class BrokenPlugin extends Exception {

  private static final long serialVersionUID = 1L;

  BrokenPlugin(Path jar, String fault, @Nullable Throwable cause) {
    super(jar.getFileName() + ": " + fault, cause);
  }
}
