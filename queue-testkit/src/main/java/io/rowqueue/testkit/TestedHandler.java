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
import io.rowqueue.internal.handle.HandlerPipeline;
import io.rowqueue.internal.handle.HandlerPolicy;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.internal.message.Headers;
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
 * A handler with its team's own modules and no database: runs it on a message through a worker's
 * own pipeline, and says how the message ended. Immutable: each {@code with} method returns another
 * one. One handling at a time.
 *
 * <pre>{@code
 * TestedHandler emails = TestedHandler.of("email.send", new EmailModule());
 * assertThat(emails.handle(new SendEmail("nobody", "Hello", "")))
 *     .isDeadLettered(DeadLetterReason.PERMANENT_FAILURE);
 * }</pre>
 *
 * <p>The payload goes through the codec and its wrappers, there and back. Retry policy, attempts,
 * timeout, interceptors and results are those of the binding. What the handler enqueues through the
 * {@link io.rowqueue.MessageProducer} that it is given by Guice is remembered; SQL fails the test,
 * unless {@link #withAnswers} says what a database would answer.
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

  /** The same parts, in another scene. */
  private TestedHandler(TestedHandler from, Draft draft) {
    this.topic = from.topic;
    this.draft = draft;
    this.stage = from.stage;
    this.parts = from.parts;
  }

  /**
   * The handler that {@code modules} bind to {@code topic}. Other handlers of theirs are not made.
   *
   * @throws HandlerConfigurationException if the modules do not go together, two handlers have one
   *     topic, or none has this one; it says which
   */
  public static TestedHandler of(String topic, Module... modules) {
    return new TestedHandler(new Topic(topic), new Draft(List.of(modules)));
  }

  /** With {@code fake} wherever the modules would give a {@code type}. */
  public <T> TestedHandler with(Class<T> type, T fake) {
    return with(Key.get(type), fake);
  }

  /** With {@code fake} wherever the modules would give what {@code key} names. */
  public <T> TestedHandler with(Key<T> key, T fake) {
    return with(next -> next.instead.add(binder -> binder.bind(key).toInstance(fake)));
  }

  /** With these defaults of a worker, for bindings that do not say otherwise. */
  public TestedHandler withDefaults(HandlerDefaults defaults) {
    return with(next -> next.defaults = defaults);
  }

  /**
   * With a database that answers as {@code answers} says, statement by statement; see jOOQ's
   * MockDataProvider. What matters to SQL belongs on a real one: {@code @QueueTest}.
   */
  public TestedHandler withAnswers(MockDataProvider answers) {
    return with(next -> next.answers = answers);
  }

  /** Handles as this attempt, 1 for the first; those before it have failed. */
  public TestedHandler withAttempt(int attempt) {
    if (attempt < 1) {
      throw new IllegalArgumentException("the first attempt is 1, not " + attempt);
    }
    return inScene(next -> next.attempt = attempt);
  }

  /** Interrupts the handler after this long, if its timeout is not over before; 5 s by default. */
  public TestedHandler withPatience(Duration patience) {
    return inScene(next -> next.patience = patience);
  }

  /** Somebody wants the message cancelled from the handling's begin on. */
  public TestedHandler withCancelRequested() {
    return inScene(next -> next.cancelledBy = "test");
  }

  /** Somebody else has the message by the time that the handling is settled. */
  public TestedHandler withClaimLost() {
    return inScene(next -> next.lost = true);
  }

  /** Does not mind a payload of which the codec leaves something out. */
  public TestedHandler withoutComparison() {
    return inScene(next -> next.compares = false);
  }

  /**
   * Handles a message with {@code payload}; a {@code byte[]} is what lies in the table.
   *
   * @throws AssertionError if the payload is not what arrives at the handler, the handler sends SQL
   *     that nobody answers, or it does not end when it is interrupted
   * @throws io.rowqueue.PayloadException if the payload cannot be encoded
   */
  public TestedHandling handle(Object payload) {
    return handle(NewMessage.of(topic, payload));
  }

  /** The same for a message with headers, an ordering key and so on; its topic may be an alias. */
  public TestedHandling handle(NewMessage message) {
    return handleTogether(List.of(message)).get(0);
  }

  /**
   * Handles {@code messages} as a worker that holds all of them: together, where the binding has a
   * batch or a shared commit, one after another elsewhere.
   *
   * @return how each ended; what was enqueued is the same for all
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
   * Handles a message with {@code payload} attempt by attempt, as if each wait were over at once,
   * until it is neither retried nor released.
   *
   * @return each handling, the last one at the end
   * @throws AssertionError if it is given back a hundred times; and see {@link #handle}
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

  /** How the worker would make an attempt after another, and how long each may take. */
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
        EncodedBody.of(
            message,
            policy().codec(),
            Wrapping.all(parts.getInstance(WRAPPINGS)),
            parts.getInstance(MessageLimits.class));
    String headers = Headers.toJson(encoded.headers());
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

  /** A handler without a transaction is acked by its worker, along with others. */
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

  /** A copy that can be changed, so that a change names what it changes and nothing else. */
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
