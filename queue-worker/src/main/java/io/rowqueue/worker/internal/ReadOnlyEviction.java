package io.rowqueue.worker.internal;

import com.zaxxer.hikari.SQLExceptionOverride;
import io.rowqueue.internal.database.TransientFailures;
import java.sql.SQLException;

/**
 * Has a pool give up a connection that leads where no writes are taken. The pool's own checks never
 * would: it is valid. Thread-safe.
 */
final class ReadOnlyEviction implements SQLExceptionOverride {

  @java.lang.Override
  public SQLExceptionOverride.Override adjudicate(SQLException error) {
    return TransientFailures.isReadOnly(error)
        ? SQLExceptionOverride.Override.MUST_EVICT
        : SQLExceptionOverride.Override.CONTINUE_EVICT;
  }
}
