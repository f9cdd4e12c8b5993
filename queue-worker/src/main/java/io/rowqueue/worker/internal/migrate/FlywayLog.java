package io.rowqueue.worker.internal.migrate;

import io.rowqueue.worker.Migrator;
import org.flywaydb.core.api.logging.Log;
import org.flywaydb.core.api.logging.LogCreator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs Flyway's messages at DEBUG: {@link Migrator} summarizes a migration in one line, and
 * failures are exceptions.
 */
public final class FlywayLog implements Log {

  public static final LogCreator CREATOR = type -> new FlywayLog(LoggerFactory.getLogger(type));

  private final Logger log;

  private FlywayLog(Logger log) {
    this.log = log;
  }

  @Override
  public void debug(String message) {
    log.trace(message);
  }

  @Override
  public void info(String message) {
    log.debug(message);
  }

  @Override
  public void notice(String message) {
    log.debug(message);
  }

  @Override
  public void warn(String message) {
    log.debug(message);
  }

  @Override
  public void error(String message) {
    log.debug(message);
  }

  @Override
  public void error(String message, Exception cause) {
    log.debug(message, cause);
  }
}
