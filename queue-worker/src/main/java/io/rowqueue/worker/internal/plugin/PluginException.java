package io.rowqueue.worker.internal.plugin;

import io.rowqueue.QueueException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plug-ins could not be loaded. The message names every broken jar, its fault and the remedy; no
 * plug-in of the directory is loaded.
 */
public final class PluginException extends QueueException {

  PluginException(String message) {
    super(message);
  }

  PluginException(List<BrokenPlugin> broken) {
    super(describe(broken));
    broken.forEach(each -> addSuppressed(each.getCause() == null ? each : each.getCause()));
  }

  private static String describe(List<BrokenPlugin> broken) {
    StringBuilder text =
        new StringBuilder(
            broken.size() == 1
                ? "a plug-in cannot be loaded:"
                : broken.size() + " plug-ins cannot be loaded:");
    broken.forEach(each -> text.append("\n  ").append(each.getMessage()));
    return text.toString();
  }

  /** The fault of one jar. Internal to this package: faults are reported together. */
  static final class BrokenPlugin extends Exception {

    BrokenPlugin(Path jar, String fault, @Nullable Throwable cause) {
      super(jar.getFileName() + ": " + fault, cause);
    }
  }
}
