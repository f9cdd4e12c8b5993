package io.rowqueue.worker.internal;

import com.zaxxer.hikari.SQLExceptionOverride;
import io.rowqueue.internal.database.TransientFailures;
import java.sql.SQLException;

/**
 * Makes a pool evict a connection to a read-only server, which passes the pool's own validity
 * check. Thread-safe.
 */
final class ReadOnlyEviction implements SQLExceptionOverride {

  @java.lang.Override
  public SQLExceptionOverride.Override adjudicate(SQLException error) {
    return TransientFailures.isReadOnly(error)
        ? SQLExceptionOverride.Override.MUST_EVICT
        : SQLExceptionOverride.Override.CONTINUE_EVICT;
  }
}
