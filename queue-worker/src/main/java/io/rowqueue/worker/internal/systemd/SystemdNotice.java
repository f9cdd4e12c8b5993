package io.rowqueue.worker.internal.systemd;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends notifications with the program systemd-notify, since Java does not support systemd's
 * datagram socket. Thread-safe.
 */
@Singleton
class SystemdNotice {

  private static final Logger LOG = LoggerFactory.getLogger(SystemdNotice.class);

  private static final int LONGEST_SECONDS = 5;

  private final AtomicBoolean said = new AtomicBoolean();

  @Inject
  SystemdNotice() {}

  /** Sends {@code states}, such as {@code READY=1}; the unit needs {@code NotifyAccess=all}. */
  void send(String... states) {
    List<String> command = new ArrayList<>(List.of("systemd-notify"));
    command.addAll(List.of(states));
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      process.getOutputStream().close();
      if (!process.waitFor(LONGEST_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        refused("systemd-notify does not end");
      } else if (process.exitValue() != 0) {
        refused("systemd-notify ended with " + process.exitValue());
      }
    } catch (IOException e) {
      refused(String.valueOf(e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void refused(String why) {
    if (said.compareAndSet(false, true)) {
      LOG.warn(
          "systemd gets no watchdog notifications from this worker and may restart it: {}", why);
    }
  }
}
