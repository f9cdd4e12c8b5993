package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.RetryAfter;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.internal.operate.JooqWorkers;
import io.rowqueue.operate.DeadLetterFilter;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.process.Processes;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * Texts that would be more than text, were they ever part of SQL. They come out as they went in.
 */
@QueueTest
@ResourceLock(CapturedLog.LEVELS)
@Tag("ci")
class HostileTextIT {

  private static final String TOPIC = "a'b\"c\\%_;--/*`{0}?$x, d";

  private static final String TEXT =
      "' OR 1=1; DROP TABLE queue_message; -- \\ \\' %s {0} ? \u0000 \u202Eright to left\u202C"
          + " \uD83D\uDE00\r\n"
          + "\u001B[2J";

  @TempDir private Path directory;

  private final QueueDatabase database;
  private final MessageProducer producer = MessageProducer.create();

  HostileTextIT(QueueDatabase database) {
    this.database = database;
  }

  /** The tests' log is raw: it must not make a binary file of a build's output. */
  @BeforeAll
  static void quiet() {
    ((Logger) LoggerFactory.getLogger("io.rowqueue.internal.handle")).setLevel(Level.OFF);
  }

  @AfterAll
  static void loud() {
    ((Logger) LoggerFactory.getLogger("io.rowqueue.internal.handle")).setLevel(null);
  }

  record Words(String text) {}

  private MessageId enqueue() {
    return producer.enqueue(
        database.dataSource(),
        NewMessage.of(TOPIC, new Words(TEXT)).withHeader(TEXT, TEXT).withHeader("plain", "x"));
  }

  @Test
  void message_ofHostileTexts_isHandledAsItWas() {
    enqueue();
    Queue<Object> seen = new ConcurrentLinkedQueue<>();
    try (TestWorker worker =
        TestWorker.create(
            database,
            config -> config.withTopics(java.util.Set.of(new Topic(TOPIC))),
            LambdaHandlers.bind(
                TOPIC,
                Words.class,
                (words, context) -> seen.addAll(List.of(words.text(), context.headers()))))) {
      assertThat(worker.get(io.rowqueue.worker.Worker.class).runOnce()).isEqualTo(1);
    }
    assertThat(seen).containsExactly(TEXT, Map.of(TEXT, TEXT, "plain", "x"));
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
  }

  @Test
  void failure_ofHostileWords_isKeptAsItWas() {
    MessageId id = enqueue();
    try (TestWorker worker =
        TestWorker.create(
            database,
            config -> config,
            LambdaHandlers.bind(
                TOPIC,
                Words.class,
                (words, context) -> {
                  throw new PermanentFailure(TEXT);
                }))) {
      assertThat(worker.get(io.rowqueue.worker.Worker.class).runOnce()).isEqualTo(1);
    }
    DeadLetters letters = QueueOperations.of(database.dataSource()).deadLetters();
    DeadLetterFilter filter = new DeadLetterFilter(new Topic(TOPIC), null, null, null);
    assertThat(letters.list(filter, 0, 10))
        .singleElement()
        .satisfies(letter -> assertThat(letter.detail()).endsWith(": " + TEXT));
    assertThat(letters.attempts(id).get(0).errorMessage()).isEqualTo(TEXT);
    assertThat(letters.redrive(id)).isTrue();
  }

  /** It could not be stored, and the message would be claimed and released for ever. */
  @Test
  void failure_thatCannotBeAskedOrWaitsForAges_settlesAllTheSame() {
    enqueue();
    enqueue();
    Queue<Integer> calls = new ConcurrentLinkedQueue<>();
    try (TestWorker worker =
        TestWorker.create(
            database,
            config ->
                config
                    .withThreads(1)
                    .withHandlers(
                        HandlerDefaults.defaults()
                            .withRetryPolicy(RetryPolicy.fixed(Duration.ofHours(1)))),
            LambdaHandlers.bind(
                TOPIC,
                Words.class,
                (words, context) -> {
                  calls.add(1);
                  if (calls.size() == 1) {
                    throw new Mute();
                  }
                  throw new RetryAfter(Duration.ofSeconds(Long.MAX_VALUE), "never");
                }))) {
      worker.get(io.rowqueue.worker.Worker.class).runOnce();
    }
    assertThat(database.strings("SELECT CONCAT(state, ' ', attempts) FROM queue_message"))
        .containsOnly("2 1");
    assertThat(database.strings("SELECT error_message FROM queue_attempt ORDER BY message_id"))
        .containsExactlyInAnyOrder(
            "(its message cannot be read: java.lang.IllegalStateException)", "never");
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE due_at > '2100-01-01'"))
        .isEqualTo(1);
  }

  private static final class Mute extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String getMessage() {
      throw new IllegalStateException("gone");
    }
  }

  @Test
  void topicsAndWorkers_ofHostileNames_areTextsToOperators() {
    Transactions transactions = Transactions.on(database.dataSource());
    Topics topics = new JooqTopics(transactions);
    topics.pause(new Topic(TOPIC));
    topics.change(new Topic(TOPIC), set -> set.withRetentionDays(3));
    assertThat(database.strings("SELECT topic FROM queue_topic")).containsExactly(TOPIC);
    assertThat(topics.known()).containsExactly(TOPIC);
    assertThatThrownBy(() -> new JooqWorkers(transactions).drain("x' OR '1'='1"))
        .isInstanceOf(RefusedException.class);
  }

  @ParameterizedTest(name = "{index}")
  @ValueSource(strings = {"", "a\u0000", "caf\u00E9", "\uD83D\uDE00", "\u202Ea", "a\n", " a", "a "})
  void topic_thatNoColumnHolds_isRefusedBeforeItIsSent(String topic) {
    assertThatThrownBy(() -> NewMessage.of(topic, "p")).isInstanceOf(InvalidMessageException.class);
  }

  @Test
  void commands_withHostileTexts_changeWhatIsMeantAndNothingElse() throws Exception {
    long id = enqueue().value();
    assertThat(run("enqueue", "--topic", TOPIC, "--payload", "\"'; DROP TABLE x\""))
        .contains(TOPIC);
    assertThat(run("topics", "pause", TOPIC)).contains("paused");
    assertThat(run("dead-letters", "list", "--topic", TOPIC)).contains("No dead letters.");
    assertThat(run("workers", "drain", "x' OR '1'='1")).contains("no worker 'x' OR '1'='1'");
    assertThat(run("schedules", "remove", "x' OR '1'='1"))
        .contains("there is no schedule 'x' OR '1'='1'");
    String shown = run("messages", "show", "--with-payload", Long.toString(id));
    assertThat(shown).contains(TOPIC, "DROP TABLE").doesNotContain("\u001B", "\u0000");
    assertThat(database.strings("SELECT topic FROM queue_message")).containsOnly(TOPIC).hasSize(2);
    assertThat(database.strings("SELECT CONCAT(topic, paused) FROM queue_topic"))
        .containsExactly(TOPIC + "1");
  }

  private String run(String... arguments) throws Exception {
    Path output = directory.resolve("output");
    Process process =
        Processes.command(database.url(), arguments)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertThat(Processes.ended(process)).isLessThan(128);
    return Files.readString(output);
  }
}
