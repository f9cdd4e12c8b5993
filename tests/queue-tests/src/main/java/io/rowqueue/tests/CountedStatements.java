package io.rowqueue.tests;

import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.Tap.Sent;
import io.rowqueue.tests.statement.TappedConnections;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Counts the statements of one kind that connections send. */
public final class CountedStatements implements Tap {

  private final String text;
  private final AtomicInteger count = new AtomicInteger();

  private CountedStatements(String text) {
    this.text = text;
  }

  /** Notifications of workers. */
  public static CountedStatements kills() {
    return new CountedStatements("KILL ");
  }

  /** Sleeps of those who wait for a notification. */
  public static CountedStatements sleeps() {
    return new CountedStatements(" SLEEP(");
  }

  public DataSource over(DataSource real) {
    return TappedConnections.over(real, this);
  }

  public int count() {
    return count.get();
  }

  @Override
  public void before(Sent sent, Connection real) {
    if (sent.sql().contains(text)) {
      count.incrementAndGet();
    }
  }
}
