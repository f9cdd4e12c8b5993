package io.rowqueue.proof.model;

import io.rowqueue.MessageId;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.proof.model.Rows.MessageRow;
import io.rowqueue.proof.model.Scenario.Choices;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

final class ProducerSteps {

  private ProducerSteps() {}

  static void enqueue(World world, Choices choices) {
    Parcels parcels = Parcels.choose(world, choices);
    world.say("a producer enqueues %s".formatted(parcels));
    List<MessageId> ids =
        world
            .protocol
            .producer()
            .enqueueAll(world.protocol.connections().dataSource(), parcels.messages());
    parcels.rows(world, ids).forEach(world::isCommitted);
  }

  /** A transaction that stays open, and what is in the queue once it commits. */
  record OpenEnqueue(Connection connection, List<MessageRow> rows) {}

  static void begin(World world, Choices choices) throws Exception {
    Parcels parcels = Parcels.choose(world, choices);
    world.say("a producer begins a transaction and enqueues %s".formatted(parcels));
    Connection connection = world.protocol.connections().lend();
    List<MessageId> ids = world.protocol.producer().enqueueAll(connection, parcels.messages());
    world.producers.add(new OpenEnqueue(connection, parcels.rows(world, ids)));
  }

  static void end(World world, Choices choices) throws Exception {
    OpenEnqueue open = choices.of(world.producers);
    boolean commits = !choices.oneIn(3);
    world.say(
        "the producer of %s %s"
            .formatted(
                open.rows().stream().map(row -> world.name(row.id)).toList(),
                commits ? "commits" : "rolls back"));
    world.producers.remove(open);
    if (commits) {
      open.connection().commit();
      open.rows().forEach(world::isCommitted);
    } else {
      open.connection().rollback();
      open.rows().forEach(row -> world.ids.add(row.id));
      world.happened("an enqueue is rolled back");
    }
    open.connection().close();
  }

  /**
   * Somebody inserts a row by plain SQL, with or without a due time ahead: it is available at once
   * all the same, until a worker that claims it sees that it is due later.
   */
  static void insertBySql(World world, Choices choices) throws Exception {
    String topic = choices.of(World.TOPICS).name();
    int seconds = choices.below(2) == 1 ? 4 : 0;
    String payload = "{\"number\":%d,\"filler\":\"\"}".formatted(world.nextPayload());
    world.say("plain SQL inserts into '%s'%s".formatted(topic, seconds > 0 ? ", due in 4 s" : ""));
    long id = insert(world, topic, payload, seconds);
    world.names.give(id);
    MessageRow row = new MessageRow(id, topic, payload, world.model.now());
    row.dueAt = world.model.after(Duration.ofSeconds(seconds));
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

  private enum Due {
    NOW,
    AFTER_5_S,
    AT_10_S,
    AT_0_S;

    NewMessage on(NewMessage message) {
      return switch (this) {
        case NOW -> message;
        case AFTER_5_S -> message.withDelay(Duration.ofSeconds(5));
        case AT_10_S -> message.withDueAt(Instant.ofEpochSecond(Times.BEGIN_SECONDS + 10));
        case AT_0_S -> message.withDueAt(Instant.ofEpochSecond(Times.BEGIN_SECONDS));
      };
    }

    long micros(Model model) {
      return switch (this) {
        case NOW -> model.now();
        case AFTER_5_S -> model.after(Duration.ofSeconds(5));
        case AT_10_S -> Times.micros(Duration.ofSeconds(10));
        case AT_0_S -> 0;
      };
    }
  }

  /** Up to three new messages that are alike, and the rows that they become. */
  private record Parcels(Topic topic, int priority, Due due, List<Integer> numbers, boolean large) {
    private static final int LARGE = 40_000;

    static Parcels choose(World world, Choices choices) {
      Topic topic = choices.of(World.TOPICS);
      int count = 1 + choices.below(3);
      List<Integer> numbers = Stream.generate(world::nextPayload).limit(count).toList();
      return new Parcels(
          topic,
          choices.of(0, 0, 0, 5, -1),
          choices.of(Due.NOW, Due.NOW, Due.NOW, Due.AFTER_5_S, Due.AT_10_S, Due.AT_0_S),
          numbers,
          choices.oneIn(10));
    }

    List<NewMessage> messages() {
      return numbers.stream()
          .map(number -> NewMessage.of(topic, json(number).getBytes(StandardCharsets.UTF_8)))
          .map(message -> due.on(message.withPriority(priority)))
          .toList();
    }

    /** The rows under {@code ids}, which get their names here. */
    List<MessageRow> rows(World world, List<MessageId> ids) {
      return IntStream.range(0, ids.size())
          .mapToObj(i -> row(world, ids.get(i).value(), json(numbers.get(i))))
          .toList();
    }

    private MessageRow row(World world, long id, String json) {
      long now = world.model.now();
      String payload = large ? json.length() + " bytes" : json;
      MessageRow row = new MessageRow(id, topic.name(), payload, now);
      world.names.give(id);
      row.priority = priority;
      row.dueAt = due.micros(world.model);
      row.state = row.dueAt > now ? MessageState.SCHEDULED : MessageState.AVAILABLE;
      return row;
    }

    private String json(int number) {
      return "{\"number\":%d,\"filler\":\"%s\"}".formatted(number, large ? "x".repeat(LARGE) : "");
    }

    @Override
    public String toString() {
      return "%d%s to '%s'%s%s"
          .formatted(
              numbers.size(),
              large ? " large" : "",
              topic,
              priority == 0 ? "" : " with priority " + priority,
              due == Due.NOW ? "" : " due " + due);
    }
  }
}
