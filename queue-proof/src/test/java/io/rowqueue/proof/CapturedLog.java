package io.rowqueue.proof;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/**
 * What the threads of one test class log, which is extended with {@link OwnThreads}: those of the
 * group that made this.
 */
public final class CapturedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {

  private final ThreadGroup threads = Thread.currentThread().getThreadGroup();
  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
  private final Logger logger;

  private CapturedLog(Logger logger) {
    this.logger = logger;
  }

  /** From now on, of the logger {@code name}. */
  public static CapturedLog of(String name) {
    CapturedLog log = new CapturedLog((Logger) LoggerFactory.getLogger(name));
    log.start();
    log.logger.addAppender(log);
    return log;
  }

  /** The same from DEBUG on; classes that do so to one logger need a lock on it. */
  static CapturedLog fromDebugOn(String name) {
    CapturedLog log = of(name);
    log.logger.setLevel(Level.DEBUG);
    return log;
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (Thread.currentThread().getThreadGroup() == threads) {
      events.add(event);
    }
  }

  /** The messages, in their order. */
  public List<String> messages() {
    return events.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  /** The same, each after its level. */
  List<String> lines() {
    return events.stream()
        .map(event -> event.getLevel() + " " + event.getFormattedMessage())
        .toList();
  }

  @Override
  public void close() {
    logger.detachAppender(this);
    logger.setLevel(null);
  }
}
