package io.rowqueue.tests;

import io.rowqueue.testkit.QueueDatabase;

/** A trigger of the team's that refuses changes of some rows until it is closed. */
public final class RefusingTrigger implements AutoCloseable {

  private final QueueDatabase database;

  private RefusingTrigger(QueueDatabase database) {
    this.database = database;
  }

  /** Refuses {@code changes}, such as "UPDATE ON queue_message", of rows with {@code which}. */
  public static RefusingTrigger on(QueueDatabase database, String changes, String which) {
    return on(database, changes, which, 1644);
  }

  /** The same, with an error code of the server, such as that of a full table. */
  public static RefusingTrigger on(QueueDatabase database, String changes, String which, int code) {
    database.execute(
        "CREATE TRIGGER refuse BEFORE %s FOR EACH ROW BEGIN IF %s THEN SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = %d, MESSAGE_TEXT = 'not today'; END IF; END"
            .formatted(changes, which, code));
    return new RefusingTrigger(database);
  }

  @Override
  public void close() {
    database.execute("DROP TRIGGER refuse");
  }
}
