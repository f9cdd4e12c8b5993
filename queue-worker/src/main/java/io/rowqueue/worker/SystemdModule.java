package io.rowqueue.worker;

import com.google.inject.AbstractModule;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.worker.internal.WorkerThreads;
import io.rowqueue.worker.internal.admin.Health;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notifies systemd; install it together with the worker's module in a unit of type {@code notify}.
 */
public final class SystemdModule extends AbstractModule {

  private static final String SOCKET = "NOTIFY_SOCKET";
  private static final String WATCHDOG = "WATCHDOG_USEC";

  private final SystemdSettings settings;

  private SystemdModule(SystemdSettings settings) {
    this.settings = settings;
  }

  /** Returns an empty module unless {@code environment} is that of such a unit. */
  public static Optional<SystemdModule> of(Map<String, String> environment) {
    return environment.getOrDefault(SOCKET, "").isEmpty()
        ? Optional.empty()
        : Optional.of(new SystemdModule(new SystemdSettings(watchdog(environment.get(WATCHDOG)))));
  }

  SystemdSettings settings() {
    return settings;
  }

  private static @Nullable Duration watchdog(@Nullable String micros) {
    return micros == null || !micros.matches("[1-9]\\d{0,17}")
        ? null
        : Duration.of(Long.parseLong(micros), ChronoUnit.MICROS);
  }

  @Override
  protected void configure() {
    bind(SystemdSettings.class).toInstance(settings);
    Multibinder.newSetBinder(binder(), WorkerService.class).addBinding().to(Systemd.class);
  }

  /** Notifies systemd of the worker's lifecycle. Thread-safe. */
  @Singleton
  private static final class Systemd implements WorkerService {

    private final SystemdSettings settings;
    private final SystemdNotice notice;
    private final WorkerThreads threads;
    private final Health health;

    @Inject
    Systemd(SystemdSettings settings, SystemdNotice notice, WorkerThreads threads, Health health) {
      this.settings = settings;
      this.notice = notice;
      this.threads = threads;
      this.health = health;
    }

    @Override
    public void running() {
      notifyManager("READY=1", "STATUS=claims messages");
      Duration watchdog = settings.watchdog();
      if (watchdog != null) {
        threads.loop("watchdog", watchdog.dividedBy(3), this::alive);
      }
    }

    /** Asynchronous, so that the worker does not wait for systemd. */
    private void notifyManager(String... states) {
      threads.start("systemd", () -> notice.send(states));
    }

    private void alive() {
      if (health.whyNotLive() == null) {
        notice.send("WATCHDOG=1");
      }
    }

    @Override
    public void draining() {
      notifyManager("STOPPING=1", "STATUS=drains");
    }
  }

  /**
   * Sends notifications with the program systemd-notify, since Java does not support systemd's
   * datagram socket. Thread-safe.
   */
  @Singleton
  private static final class SystemdNotice {

    private static final Logger LOG = LoggerFactory.getLogger(SystemdModule.class);

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

  /**
   * systemd's settings for the process.
   *
   * @param watchdog the interval of watchdog notifications; null if disabled
   */
  record SystemdSettings(@Nullable Duration watchdog) {}
}
