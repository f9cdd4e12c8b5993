package io.rowqueue.worker.plugin;

import io.rowqueue.QueueException;

/** The handlers' directory cannot be loaded; the message names every broken jar. */
public final class PluginException extends QueueException {

  private static final long serialVersionUID = 1L;

  PluginException(String message, Throwable cause) {
    super(message, cause);
  }

  PluginException(String message) {
    super(message);
  }
}
