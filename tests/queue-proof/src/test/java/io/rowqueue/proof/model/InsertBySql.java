package io.rowqueue.proof.model;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;

/**
 * Somebody inserts a row by plain SQL, with or without a due time ahead: it is available at once
 * all the same, until a worker that claims it sees that it is due later.
 */
final class InsertBySql implements Action {

  @Override
  public boolean isPossible(World world) {
    return true;
  }

  @Override
  public void play(World world, Choices choices) throws Exception {
    String topic = choices.of(World.TOPICS).name();
    boolean later = choices.below(2) == 1;
    String payload = "{\"number\":%d,\"filler\":\"\"}".formatted(world.nextPayload());
    world.say("plain SQL inserts into '%s'%s".formatted(topic, later ? ", due in 4 s" : ""));
    long id = insert(world, topic, payload, later ? 4 : 0);
    world.names.give(id);
    MessageRow row = new MessageRow(id, topic, payload, world.model.now());
    row.dueAt = world.model.after(Duration.ofSeconds(later ? 4 : 0));
    world.isCommitted(row);
  }

  private static long insert(World world, String topic, String payload, int seconds)
      throws Exception {
    String due = seconds == 0 ? "DEFAULT" : "UTC_TIMESTAMP(6) + INTERVAL " + seconds + " SECOND";
    try (Connection connection = world.protocol.connections().lend();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "INSERT INTO queue_message (topic, payload, due_at) VALUES ('%s', '%s', %s)"
              .formatted(topic, payload, due),
          Statement.RETURN_GENERATED_KEYS);
      try (ResultSet keys = statement.getGeneratedKeys()) {
        keys.next();
        long id = keys.getLong(1);
        connection.commit();
        return id;
      }
    }
  }
}
