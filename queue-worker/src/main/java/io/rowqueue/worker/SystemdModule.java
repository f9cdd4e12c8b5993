package io.rowqueue.worker;

import com.google.inject.AbstractModule;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.worker.internal.systemd.Systemd;
import io.rowqueue.worker.internal.systemd.Systemd.SystemdSettings;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
}
