package io.rowqueue.internal.handle;

import io.rowqueue.CommitOutcomeUnknownException;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.PayloadException;
import io.rowqueue.QueueException;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.handler.Delivery;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.handler.HandlerTimeoutException;
import io.rowqueue.handler.LeftTransactionException;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.body.Bodies;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.database.WorkFailure;
import io.rowqueue.internal.handle.Invocation.StreamedPayload;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.wrap.Unwrapping;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.spi.BodyMissingException;
import io.rowqueue.spi.BodyUnavailableException;
import io.rowqueue.spi.NotWrappedException;
import io.rowqueue.spi.UnreadableException;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The steps that every way of handling has in common. Thread-safe. */
final class HandlerInvoker {

  private static final Logger LOG = LoggerFactory.getLogger(HandlerInvoker.class);

  /** What keeps one message from being handled keeps others, too: it is said once a minute. */
  private static final long SAY_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

  /** About what an open stream holds in memory. */
  private static final int STREAM_BYTES = 1 << 20;

  private final AtomicLong saidNanos = new AtomicLong(System.nanoTime() - SAY_EVERY_NANOS);
  private final ClaimStore claims;
  private final FailureSettlement failures;
  private final List<HandlerInterceptor> interceptors;
  private final MessageLimits limits;
  private final QueueSchema schema;
  private final Unwrapping unwrapping;
  private final Releases unreadables;
  private final Releases refusals = Releases.ofRefused();
  private final ResultEncoding results;
  private final MessageProducer producer;
  private final Bodies bodies;

  HandlerInvoker(
      ClaimStore claims,
      FailureSettlement failures,
      List<HandlerInterceptor> interceptors,
      MessageLimits limits,
      QueueSchema schema,
      Unwrapping unwrapping,
      Releases unreadables,
      ResultEncoding results,
      MessageProducer producer,
      Bodies bodies) {
    this.claims = claims;
    this.failures = failures;
    this.interceptors = interceptors;
    this.limits = limits;
    this.schema = schema;
    this.unwrapping = unwrapping;
    this.unreadables = unreadables;
    this.results = results;
    this.producer = producer;
    this.bodies = bodies;
  }

  /** What {@code settlement} came to; never throws, and logs what people should know. */
  static Outcome settled(Claim claim, Supplier<Outcome> settlement) {
    try {
      return settlement.get();
    } catch (ClaimLostException e) {
      LOG.warn("{}", e.getMessage());
      return Outcome.LOST;
    } catch (QueueException e) {
      LOG.error(
          "{} could not be settled; it is released at the next reconciliation: {}",
          claim,
          FailureText.of(e));
      return Outcome.GIVEN_UP;
    }
  }

  /**
   * Reads what is to be handled, in {@code handling}. What nobody can read is a dead letter; what
   * others may is given back.
   */
  Prepared prepare(Claim claim, BoundHandler handler, Handling handling) {
    if (claim.suspect()) {
      claims.start(claim);
    }
    try {
      failures.checkSize(claim, limits);
      Invocation call = read(claims.load(claim), handler, handling);
      unreadables.forget(claim.id());
      return new Prepared(call, Outcome.ACKED);
    } catch (InvalidMessageException e) {
      return new Prepared(null, failures.deadLetter(claim, DeadLetterReason.TOO_LARGE, e));
    } catch (PayloadException e) {
      return new Prepared(null, failures.deadLetter(claim, DeadLetterReason.UNDECODABLE, e));
    } catch (NotWrappedException e) {
      return new Prepared(null, failures.deadLetter(claim, DeadLetterReason.NOT_WRAPPED, e));
    } catch (UnreadableException e) {
      return new Prepared(null, unreadables.settle(claim, failures, e));
    } catch (BodyMissingException | BodyUnavailableException e) {
      return new Prepared(null, settle(claim, handler.policy(), e));
    } catch (WorkFailure e) {
      return new Prepared(null, failures.settle(claim, handler.policy(), e.thrown()));
    } catch (OutOfMemoryError e) {
      // Perhaps its neighbours' fault; but given up, it would come back for ever.
      return new Prepared(null, failures.settle(claim, handler.policy(), e));
    }
  }

  /** The same; null if it was settled by itself, which {@code watch} is told then. */
  @Nullable Invocation prepare(
      Claim claim, BoundHandler handler, Handling handling, HandlingListener watch) {
    List<Invocation> prepared = new ArrayList<>(1);
    Outcome outcome =
        settled(
            claim,
            () -> {
              Prepared ready = prepare(claim, handler, handling);
              if (ready.call() != null) {
                prepared.add(ready.call());
              }
              return ready.ended();
            });
    if (prepared.isEmpty()) {
      watch.settled(claim, outcome);
      return null;
    }
    return prepared.get(0);
  }

  private Invocation read(Claim claim, BoundHandler handler, Handling handling) {
    Map<String, String> headers = Headers.parse(claim.body().headers());
    String place = headers.get(Headers.BODY);
    if (handler.streams() && place != null && !headers.containsKey(Headers.WRAPPED)) {
      unwrapping.check(headers, handler.policy().required());
      StreamedPayload payload = bodies.find(claim.id(), place)::open;
      return new Invocation(claim, handler, handling, payload, headers, STREAM_BYTES);
    }
    byte[] stored =
        place == null
            ? claim.body().payload()
            : bodies.find(claim.id(), place).read(limits.payloadBytes());
    byte[] bytes = unwrapped(claim, stored, handler, headers);
    Object payload = handler.streams() ? stream(bytes) : decoded(bytes, handler, headers);
    return new Invocation(claim, handler, handling, payload, headers, bytes.length);
  }

  private static StreamedPayload stream(byte[] bytes) {
    return () -> new ByteArrayInputStream(bytes);
  }

  /**
   * A wrapper may be the team's code, and ask others, who may be away: what it does not say to be
   * for good is a failed attempt, like what a handler throws.
   */
  private byte[] unwrapped(
      Claim claim, byte[] stored, BoundHandler handler, Map<String, String> headers) {
    try {
      return unwrapping.unwrap(claim.topic(), stored, headers, handler.policy().required());
    } catch (InvalidMessageException
        | PayloadException
        | NotWrappedException
        | UnreadableException e) {
      throw e;
    } catch (LinkageError e) {
      throw new UnreadableException("this worker cannot load what a wrapper needs: " + e, e);
    } catch (StackOverflowError e) {
      throw new PayloadException("a wrapper failed on the payload: " + e, e);
    } catch (RuntimeException e) {
      throw new WorkFailure(e);
    }
  }

  /** A codec sees nothing but the bytes, and fails on them again. */
  private static Object decoded(byte[] payload, BoundHandler handler, Map<String, String> headers) {
    try {
      return handler.decode(payload, headers);
    } catch (PayloadException | UnreadableException e) {
      throw e;
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      throw new PayloadException("the codec failed on the payload: " + e, e);
    }
  }

  HandlerContext context(Invocation call, HandlerTransaction guard) {
    return new ClaimContext(call, schema.queueName(), producer, guard);
  }

  HandlerContext contextWithoutTransaction(Invocation call) {
    return new ClaimContext(call, schema.queueName(), producer, null);
  }

  /** Handles one message; what its handler gives back is then its handling's. */
  void handle(Invocation call, HandlerContext context) {
    OpenPayloads payloads = new OpenPayloads();
    Object payload = payloads.open(call);
    payloads.during(
        () -> invoke(context, call.handling().timeout(), () -> handleOne(call, payload, context)));
  }

  private void handleOne(Invocation call, Object payload, HandlerContext context) throws Exception {
    Object value = call.handler().handle(payload, context);
    HandlerPolicy policy = call.handler().policy();
    ResultPolicy kept = policy.results();
    if (kept != null) {
      call.handling().returned(results.encode(call, value, policy.codec(), kept));
    }
  }

  /** Whatever the team's code throws comes out as a {@link WorkFailure}. */
  void invoke(HandlerContext context, Duration timeout, HandlerInterceptor.Invocation handler) {
    within(timeout, context, chain(0, context, handler));
  }

  /** The same for all of {@code batch} in one call. */
  void invoke(
      List<Delivery<Object>> batch, Duration timeout, HandlerInterceptor.Invocation handler) {
    List<HandlerContext> contexts = batch.stream().map(Delivery::context).toList();
    HandlerContext first = contexts.get(0);
    if (contexts.size() == 1) {
      invoke(first, timeout, handler);
    } else {
      within(timeout, first, chain(0, contexts, handler));
    }
  }

  private static void within(
      Duration timeout, HandlerContext context, HandlerInterceptor.Invocation intercepted) {
    try {
      TimingInterceptor.of(timeout).intercept(context, intercepted);
    } catch (Throwable e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new WorkFailure(e);
    }
  }

  private HandlerInterceptor.Invocation chain(
      int index, HandlerContext context, HandlerInterceptor.Invocation handler) {
    if (index == interceptors.size()) {
      return handler;
    }
    return () -> interceptors.get(index).intercept(context, chain(index + 1, context, handler));
  }

  private HandlerInterceptor.Invocation chain(
      int index, List<HandlerContext> batch, HandlerInterceptor.Invocation handler) {
    if (index == interceptors.size()) {
      return handler;
    }
    return () -> interceptors.get(index).interceptBatch(batch, chain(index + 1, batch, handler));
  }

  /** Settles a failed handling, unless the watch does. */
  Outcome fail(Claim claim, Handling handling, HandlerPolicy policy, Throwable thrown) {
    Failure failure = failure(claim, handling, thrown);
    return failure == null ? Outcome.ABANDONED : settle(failure, policy);
  }

  /** The handling is over and has failed; null if the watch settles it. */
  @Nullable Failure failure(Claim claim, Handling handling, Throwable thrown) {
    boolean left = thrown instanceof LeftTransactionException;
    Throwable failure =
        handling.timedOut() && !left ? new HandlerTimeoutException(handling.timeout()) : thrown;
    if (failure != thrown) {
      failure.addSuppressed(thrown);
    }
    boolean stopping = handling.stopping() && !left;
    return handling.beginFailure()
        ? new Failure(claim, failure, stopping, left ? null : handling.cancelRequestedBy(claim))
        : null;
  }

  Outcome settle(Failure failure, HandlerPolicy policy) {
    if (failure.cancelledBy != null) {
      return cancel(failure.claim, failure.cancelledBy);
    }
    return failure.stopping
        ? release(failure.claim)
        : settle(failure.claim, policy, failure.thrown);
  }

  /** A body that cannot be read says nothing about its handler. */
  Outcome settle(Claim claim, HandlerPolicy policy, Throwable thrown) {
    if (thrown instanceof BodyMissingException) {
      return failures.deadLetter(claim, DeadLetterReason.BODY_MISSING, thrown);
    }
    if (thrown instanceof BodyUnavailableException) {
      return releaseUnhandled(claim, thrown);
    }
    return failures.settle(claim, policy, thrown);
  }

  Outcome cancel(Claim claim, String by) {
    return failures.cancel(claim, by);
  }

  Outcome release(Claim claim) {
    return failures.release(claim);
  }

  /** For want of a database nothing was handled, and no attempt is counted. */
  Outcome releaseUnhandled(Claim claim, Throwable unavailable) {
    long now = System.nanoTime();
    long said = saidNanos.get();
    if (now - said >= SAY_EVERY_NANOS && saidNanos.compareAndSet(said, now)) {
      LOG.warn(
          "{} is released unhandled, and more may be; no attempt is counted, and each is claimed"
              + " again within seconds: {}",
          claim,
          FailureText.of(unavailable));
    } else {
      LOG.debug("{} is released unhandled, too: {}", claim, unavailable.getMessage());
    }
    failures.release(claim, Duration.ZERO);
    return Outcome.UNHANDLED;
  }

  /**
   * The database refuses RowQueue's own statements, or the COMMIT. The handler has done its work,
   * so no attempt is counted. Whether a COMMIT has happened whose answer was lost, the fence
   * decides on a fresh connection: a claim that is still held was not acked.
   */
  Outcome releaseRefused(Claim claim, Throwable refusal) {
    try {
      return refusals.settle(claim, failures, refusal);
    } catch (ClaimLostException e) {
      if (!(refusal instanceof CommitOutcomeUnknownException)) {
        throw e;
      }
      LOG.info(
          "the COMMIT whose answer was lost had happened, or {} was lost before it; nothing is left"
              + " to do here",
          claim);
      return Outcome.LOST;
    }
  }

  /** {@code claim} was acked. */
  void acked(Claim claim) {
    refusals.forget(claim.id());
  }

  /** Without a transaction its effect has happened, and would only be repeated. */
  Outcome settleUnacked(Claim claim, HandlerPolicy policy, Throwable refusal) {
    return isOwn(refusal)
        ? failures.deadLetter(claim, DeadLetterReason.SETTLEMENT_REFUSED, refusal)
        : failures.settle(claim, policy, refusal);
  }

  /** Whether {@code failure} is the answer to a statement that RowQueue has sent for itself. */
  static boolean isOwn(Throwable failure) {
    return failure instanceof DatabaseUnavailableException && !DoomedException.isIn(failure);
  }

  /**
   * A handling that has failed and is to be settled.
   *
   * @param claim what was handled
   * @param thrown why it failed
   * @param stopping whether it failed because its worker stops
   * @param cancelledBy who wants it cancelled; null if nobody does
   */
  record Failure(Claim claim, Throwable thrown, boolean stopping, @Nullable String cancelledBy) {}

  /**
   * A claim that can be handled, or how it has ended already.
   *
   * @param call null if it cannot be handled
   * @param ended meaningful only without a call
   */
  record Prepared(@Nullable Invocation call, Outcome ended) {}
}
