package io.rowqueue.tests;

import io.rowqueue.testkit.QueueDatabase;

/** As many connections as a test opens, where a server admits fewer; until this is closed. */
public record AdmittedConnections(QueueDatabase database, long before, long now)
    implements AutoCloseable {

  public static AdmittedConnections atLeast(QueueDatabase database, long most) {
    long before = database.count("SELECT @@GLOBAL.max_connections");
    AdmittedConnections admitted =
        new AdmittedConnections(database, before, Math.max(before, most));
    admitted.set(admitted.now);
    return admitted;
  }

  private void set(long most) {
    if (now > before) {
      database.execute("SET GLOBAL max_connections = " + most);
    }
  }

  @Override
  public void close() {
    set(before);
  }
}
