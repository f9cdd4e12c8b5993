package io.rowqueue.testkit;

import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.TypeLiteral;
import io.rowqueue.MessageId;
import io.rowqueue.MessageLimits;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.enqueue.EncodedBody;
import io.rowqueue.internal.enqueue.Encoder;
import io.rowqueue.internal.handle.HandlerPipeline;
import io.rowqueue.internal.handle.HandlerPolicy;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.spi.Wrapping;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jooq.tools.jdbc.MockDataProvider;
import org.jspecify.annotations.Nullable;

/**
 * Runs a handler with the application's modules but without a database, in a worker's pipeline, and
 * returns the outcome. Immutable: each {@code with} method returns a copy. One attempt at a time.
 *
 * <pre>{@code
 * TestedHandler emails = TestedHandler.of("email.send", new EmailModule());
 * assertThat(emails.handle(new SendEmail("nobody", "Hello", "")))
 *     .isDeadLettered(DeadLetterReason.PERMANENT_FAILURE);
 * }</pre>
 *
 * <p>The payload is encoded and decoded by the codec and its wrappers. Retry policy, attempts,
 * timeout, interceptors and results are the binding's. Messages enqueued through the injected
 * {@link io.rowqueue.MessageProducer} are recorded; SQL fails the test, unless {@link #withAnswers}
 * supplies the database's answers.
 */
public final class TestedHandler {

  private static final Instant CREATED = Instant.parse("2026-01-01T00:00:00Z");
  private static final Key<Set<Wrapping>> WRAPPINGS = Key.get(new TypeLiteral<>() {});
  private static final LockId ME = new LockId("test-1-worker");

  private final Topic topic;
  private final Draft draft;
  private final Stage stage;
  private final Injector parts;

  private TestedHandler(Topic topic, Draft draft) {
    this.topic = topic;
    this.draft = draft;
    this.stage = new Stage();
    this.parts =
        Wiring.of(
            stage,
            draft.team,
            draft.instead,
            new Wiring.Surroundings(draft.defaults, draft.answers));
    checkIsBound();
  }

  /** The same components in another environment. */
  private TestedHandler(TestedHandler from, Draft draft) {
    this.topic = from.topic;
    this.draft = draft;
    this.stage = from.stage;
    this.parts = from.parts;
  }

  /**
   * Tests the handler that {@code modules} bind to {@code topic}. Creates no other handlers.
   *
   * @throws HandlerConfigurationException naming the fault, if the modules conflict, two handlers
   *     have the same topic, or none has this one
   */
  public static TestedHandler of(String topic, Module... modules) {
    return new TestedHandler(new Topic(topic), new Draft(List.of(modules)));
  }

  /** Uses {@code fake} in place of the modules' {@code type}. */
  public <T> TestedHandler with(Class<T> type, T fake) {
    return with(Key.get(type), fake);
  }

  /** Uses {@code fake} in place of the modules' {@code key}. */
  public <T> TestedHandler with(Key<T> key, T fake) {
    return with(next -> next.instead.add(binder -> binder.bind(key).toInstance(fake)));
  }

  /** Uses these defaults for bindings. */
  public TestedHandler withDefaults(HandlerDefaults defaults) {
    return with(next -> next.defaults = defaults);
  }

  /**
   * Answers SQL with {@code answers}, statement by statement; see jOOQ's MockDataProvider. Use a
   * real server, with {@code @QueueTest}, if the SQL itself matters.
   */
  public TestedHandler withAnswers(MockDataProvider answers) {
    return with(next -> next.answers = answers);
  }

  /** Sets the attempt, 1 for the first; the earlier ones have failed. */
  public TestedHandler withAttempt(int attempt) {
    if (attempt < 1) {
      throw new IllegalArgumentException("the first attempt is 1, not " + attempt);
    }
    return inScene(next -> next.attempt = attempt);
  }

  /**
   * Interrupts the handler after this time, or after its timeout if that is shorter; 5 s by
   * default.
   */
  public TestedHandler withPatience(Duration patience) {
    return inScene(next -> next.patience = patience);
  }

  /** Simulates a cancellation request from the start of the attempt. */
  public TestedHandler withCancelRequested() {
    return inScene(next -> next.cancelledBy = "test");
  }

  /** Simulates that another worker has the claim before the settlement. */
  public TestedHandler withClaimLost() {
    return inScene(next -> next.lost = true);
  }

  /** Accepts a payload that loses data in its codec. */
  public TestedHandler withoutComparison() {
    return inScene(next -> next.compares = false);
  }

  /**
   * Processes a message with {@code payload}; a {@code byte[]} is the stored payload.
   *
   * @throws AssertionError if the codec changes the payload, the handler sends SQL without an
   *     answer, or it ignores its interrupt
   * @throws io.rowqueue.PayloadException if the payload cannot be encoded
   */
  public TestedHandling handle(Object payload) {
    return handle(NewMessage.of(topic, payload));
  }

  /** Processes a message with headers, an ordering key and so on; its topic may be an alias. */
  public TestedHandling handle(NewMessage message) {
    return handleTogether(List.of(message)).get(0);
  }

  /**
   * Processes {@code messages} as a worker that holds all of them: together, if the binding has a
   * batch handler or shared commits, otherwise one by one.
   *
   * @return the outcome of each; they share the enqueued messages
   */
  public List<TestedHandling> handleTogether(List<NewMessage> messages) {
    synchronized (stage) {
      return handleAll(messages);
    }
  }

  private List<TestedHandling> handleAll(List<NewMessage> messages) {
    Object single = messages.size() == 1 ? messages.get(0).payload() : null;
    Recording recording = stage.begin(draft.compares ? single : null, draft.lost);
    List<Claim> claims = new ArrayList<>();
    for (NewMessage message : messages) {
      claims.add(claim(message, claims.size() + 1));
    }
    HandlerPipeline pipeline = parts.getInstance(HandlerPipeline.class);
    new WatchedThread(pipeline, claims, recording, draft.cancelledBy).runWatched(draft.patience);
    check(recording);
    claims.forEach(claim -> acknowledge(claim, recording));
    return claims.stream().map(recording::of).toList();
  }

  /**
   * Processes a message with {@code payload} attempt by attempt, skipping the waits, until it is
   * neither retried nor released.
   *
   * @return each attempt, in order
   * @throws AssertionError if it is released a hundred times; and see {@link #handle}
   */
  public List<TestedHandling> handleToTheEnd(Object payload) {
    List<TestedHandling> all = new ArrayList<>();
    TestedHandler next = this;
    for (int claims = 0; claims < 100; claims++) {
      TestedHandling handling = next.handle(payload);
      all.add(handling);
      if (handling.outcome() == Outcome.RETRIED) {
        next = next.withAttempt(next.draft.attempt + 1);
      } else if (handling.outcome() != Outcome.RELEASED) {
        return all;
      }
    }
    throw new AssertionError("the message was released a hundred times without an outcome");
  }

  /** Returns the attempts' settings, as in a worker. */
  HandlerPolicy policy() {
    return parts.getInstance(HandlerRegistry.class).policy(topic);
  }

  private void checkIsBound() {
    Set<Topic> topics = parts.getInstance(HandlerRegistry.class).topics();
    if (!topics.contains(topic)) {
      throw new HandlerConfigurationException(
          "no handler is bound to topic '%s'; the modules bind %s".formatted(topic, topics));
    }
  }

  private Claim claim(NewMessage message, long id) {
    EncodedBody encoded =
        new Encoder(
                policy().codec(),
                Wrapping.all(parts.getInstance(WRAPPINGS)),
                parts.getInstance(MessageLimits.class))
            .body(message);
    String headers = encoded.json();
    int headersBytes = headers == null ? 0 : headers.getBytes(StandardCharsets.UTF_8).length;
    Body body = new Body(true, encoded.payload(), headers, encoded.payload().length, headersBytes);
    return new Claim(
        new MessageId(id),
        message.topic(),
        ME,
        draft.attempt,
        draft.attempt - 1,
        0,
        false,
        CREATED,
        message.orderingKey(),
        body);
  }

  private void check(Recording recording) {
    String sql = recording.sent();
    if (sql != null) {
      throw new AssertionError(
          ("the handler of '%s' sent SQL, and this test has no database: %s%nTest it with"
                  + " @QueueTest, or supply a database's answers with withAnswers(...). To enqueue,"
                  + " inject the MessageProducer, which is replaced here; one from"
                  + " MessageProducer.create() is not.")
              .formatted(topic, sql));
    }
    String changed = recording.changed();
    if (changed != null) {
      throw new AssertionError(changed);
    }
    String stuck = recording.stuck();
    if (stuck != null) {
      throw new AssertionError(
          ("the handler of '%s' did not end within %s, nor within a second of its interrupt. A"
                  + " worker would take the message away and abandon the thread. Its stack:%n%s")
              .formatted(topic, Humanize.duration(draft.patience), stuck));
    }
  }

  /** A worker acks handlers without a transaction in groups. */
  private void acknowledge(Claim claim, Recording recording) {
    Recording.End end = recording.end(claim);
    if (end.outcome == Outcome.HANDLED) {
      int acked = parts.getInstance(Settler.class).ackAll(List.of(claim));
      end.outcome = acked == 1 ? Outcome.ACKED : Outcome.LOST;
    }
  }

  private TestedHandler inScene(Consumer<Draft> change) {
    Draft next = new Draft(draft);
    change.accept(next);
    return new TestedHandler(this, next);
  }

  private TestedHandler with(Consumer<Draft> change) {
    Draft next = new Draft(draft);
    change.accept(next);
    return new TestedHandler(topic, next);
  }

  /** A mutable copy, so that each method names only the property it changes. */
  private static final class Draft {

    private final List<Module> team;
    private final List<Module> instead;
    private HandlerDefaults defaults = HandlerDefaults.defaults();
    private @Nullable MockDataProvider answers;
    private int attempt = 1;
    private Duration patience = Duration.ofSeconds(5);
    private @Nullable String cancelledBy;
    private boolean lost;
    private boolean compares = true;

    Draft(List<Module> team) {
      this.team = team;
      this.instead = new ArrayList<>();
    }

    Draft(Draft from) {
      team = from.team;
      instead = new ArrayList<>(from.instead);
      defaults = from.defaults;
      answers = from.answers;
      attempt = from.attempt;
      patience = from.patience;
      cancelledBy = from.cancelledBy;
      lost = from.lost;
      compares = from.compares;
    }
  }
}
