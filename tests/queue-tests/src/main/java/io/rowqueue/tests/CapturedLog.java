package io.rowqueue.tests;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/**
 * What the threads of one test class log, which is extended with {@link OwnThreads}: those of the
 * group that made this.
 */
public final class CapturedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {

  /** The resource that classes lock which change the level of a logger. */
  public static final String LEVELS = "log levels";

  private final ThreadGroup threads = Thread.currentThread().getThreadGroup();
  private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
  private final Logger logger;
  private boolean louder;

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

  /** The same from DEBUG on, for classes that lock {@link #LEVELS}. */
  public static CapturedLog fromDebugOn(String name) {
    CapturedLog log = of(name);
    log.louder = true;
    log.logger.setLevel(Level.DEBUG);
    return log;
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (Thread.currentThread().getThreadGroup() == threads) {
      event.prepareForDeferredProcessing();
      events.add(event);
    }
  }

  /** The messages, in their order. */
  public List<String> messages() {
    return events.stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  /** The same, each after its level. */
  public List<String> lines() {
    return events.stream()
        .map(event -> event.getLevel() + " " + event.getFormattedMessage())
        .toList();
  }

  /** The MDC of each message that contains {@code text}. */
  public List<Map<String, String>> contexts(String text) {
    return events.stream()
        .filter(event -> event.getFormattedMessage().contains(text))
        .map(ILoggingEvent::getMDCPropertyMap)
        .toList();
  }

  @Override
  public void close() {
    logger.detachAppender(this);
    if (louder) {
      logger.setLevel(null);
    }
  }
}
