package io.rowqueue.proof.dashboard;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What is written to the audit's log meanwhile. */
final class AuditLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {

  private final Logger log = (Logger) LoggerFactory.getLogger("io.rowqueue.audit");
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private AuditLines() {}

  static AuditLines begin() {
    AuditLines begun = new AuditLines();
    begun.start();
    begun.log.addAppender(begun);
    return begun;
  }

  @Override
  protected void append(ILoggingEvent event) {
    lines.add(event.getFormattedMessage());
  }

  List<String> all() {
    return lines;
  }

  @Override
  public void close() {
    log.detachAppender(this);
  }
}
