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
    database.execute(
        "CREATE TRIGGER refuse BEFORE %s FOR EACH ROW BEGIN IF %s THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not today'; END IF; END"
            .formatted(changes, which));
    return new RefusingTrigger(database);
  }

  @Override
  public void close() {
    database.execute("DROP TRIGGER refuse");
  }
}
