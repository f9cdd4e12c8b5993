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
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.TransactionEndedException;
import io.rowqueue.internal.body.Bodies;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.database.RollbackRequiredException;
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
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow.Publisher;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The steps shared by all ways of handling. Thread-safe. */
final class HandlerInvoker {

  private static final Logger LOG = LoggerFactory.getLogger(HandlerInvoker.class);

  /** A cause that blocks one message usually blocks others, so it is logged once a minute. */
  private static final long SAY_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

  /** The approximate memory of an open stream. */
  private static final int STREAM_BYTES = 1 << 20;

  /** Reactor's and RxJava's Flowable are publishers; the libraries may be missing. */
  private static final Set<String> ASYNCHRONOUS =
      Set.of(
          Future.class.getName(),
          CompletionStage.class.getName(),
          Publisher.class.getName(),
          "org.reactivestreams.Publisher",
          "io.reactivex.rxjava3.core.CompletableSource",
          "io.reactivex.rxjava3.core.MaybeSource",
          "io.reactivex.rxjava3.core.ObservableSource",
          "io.reactivex.rxjava3.core.SingleSource",
          "io.vertx.core.Future",
          "kotlinx.coroutines.Job",
          "kotlinx.coroutines.flow.Flow");

  private static final ClassValue<Boolean> IS_ASYNCHRONOUS =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          Class<?> base = type.getSuperclass();
          return ASYNCHRONOUS.contains(type.getName())
              || (base != null && get(base))
              || Stream.of(type.getInterfaces()).anyMatch(this::get);
        }
      };

  private final AtomicLong saidNanos = new AtomicLong(System.nanoTime() - SAY_EVERY_NANOS);
  private final ClaimStore claims;
  private final FailureSettlement failures;
  private final List<HandlerInterceptor> interceptors;
  private final MessageLimits limits;
  private final QueueSchema schema;
  private final Unwrapping unwrapping;
  private final Releases unreadables;
  private final Releases shortages = Releases.ofShortage();
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

  /**
   * The outcome of {@code settlement}; logs what operators need to know.
   *
   * @throws Error whatever {@code settlement} throws; the caller must not keep the claim
   */
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
    } catch (RuntimeException e) {
      LOG.error(
          "{} could not be settled because of an unexpected failure; it is released at the next"
              + " reconciliation",
          claim,
          FailureSettlement.printable(e));
      return Outcome.GIVEN_UP;
    }
  }

  /**
   * Loads and decodes the message that {@code handling} handles. A message that no worker can read
   * is dead-lettered; one that other workers may be able to read is released.
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
    } catch (Error e) {
      // Other messages may have used up the memory, for example. The attempt is counted
      // nevertheless, or the message would return for ever.
      return new Prepared(null, failures.settle(claim, handler.policy(), e));
    }
  }

  /**
   * Like the other {@code prepare}, but returns null if the message was already settled; {@code
   * watch} is notified of that.
   */
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
   * A wrapper may be application code that calls other systems, which may be unavailable. Unless it
   * reports a permanent failure, its exception counts as a failed attempt, like a handler's.
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
    } catch (Exception e) {
      throw new WorkFailure(e);
    }
  }

  /**
   * A codec depends only on the bytes, so it would fail on them again, unless a worker has other
   * classes. One in Kotlin may throw checked exceptions.
   */
  private static Object decoded(byte[] payload, BoundHandler handler, Map<String, String> headers) {
    try {
      return handler.decode(payload, headers);
    } catch (PayloadException | UnreadableException e) {
      throw e;
    } catch (LinkageError e) {
      throw new UnreadableException("this worker cannot load what the codec needs: " + e, e);
    } catch (Exception | StackOverflowError e) {
      throw new PayloadException("the codec failed on the payload: " + e, e);
    }
  }

  HandlerContext context(Invocation call, HandlerTransaction guard) {
    return new ClaimContext(call, schema.queueName(), producer, guard);
  }

  HandlerContext contextWithoutTransaction(Invocation call) {
    return new ClaimContext(call, schema.queueName(), producer, null);
  }

  /** Handles one message, and stores the handler's result in the handling. */
  void handle(Invocation call, HandlerContext context) {
    OpenPayloads payloads = new OpenPayloads();
    Object payload = payloads.open(call);
    payloads.during(
        () -> invoke(context, call.handling().timeout(), () -> handleOne(call, payload, context)));
  }

  private void handleOne(Invocation call, Object payload, HandlerContext context) throws Exception {
    Object value = call.handler().handle(payload, context);
    checkDone(value);
    HandlerPolicy policy = call.handler().policy();
    ResultPolicy kept = policy.results();
    if (kept != null) {
      call.handling().returned(results.encode(call, value, policy.codec(), kept));
    }
  }

  private static void checkDone(@Nullable Object value) {
    if (value != null && IS_ASYNCHRONOUS.get(value.getClass())) {
      throw new IllegalStateException(
          "the handler returned a %s, whose work may not be done yet; wait for it, and return its result"
              .formatted(value.getClass().getName()));
    }
  }

  /** Every exception of application code is wrapped in a {@link WorkFailure}. */
  void invoke(HandlerContext context, Duration timeout, HandlerInterceptor.Invocation handler) {
    within(timeout, context, chain(0, context, handler));
  }

  /** Handles all of {@code batch} in one call. */
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

  /** Settles a failed handling, unless {@code watch} settles it. */
  Outcome fail(Claim claim, Handling handling, HandlerPolicy policy, Throwable thrown) {
    Failure failure = failure(claim, handling, thrown);
    return failure == null ? Outcome.ABANDONED : settle(failure, policy);
  }

  /** Marks the handling as failed; null if the watcher settles it. */
  @Nullable Failure failure(Claim claim, Handling handling, Throwable thrown) {
    boolean left = thrown instanceof TransactionEndedException;
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

  /** An unreadable body is not the handler's failure. */
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

  /**
   * The database was unavailable, so nothing was handled and no attempt is counted. If the
   * handler's own statement met that, others may not, so it must not be repeated for ever.
   */
  Outcome releaseUnhandled(Claim claim, Throwable unavailable) {
    if (RollbackRequiredException.isIn(unavailable)) {
      return shortages.settle(claim, failures, unavailable);
    }
    long now = System.nanoTime();
    long said = saidNanos.get();
    if (now - said >= SAY_EVERY_NANOS && saidNanos.compareAndSet(said, now)) {
      LOG.warn(
          "{} is released unhandled, and more messages may be; no attempt is counted, and each is"
              + " claimed again within seconds: {}",
          claim,
          FailureText.of(unavailable));
    } else {
      LOG.debug("{} is released unhandled, too: {}", claim, unavailable.getMessage());
    }
    failures.release(claim, Duration.ZERO);
    return Outcome.UNHANDLED;
  }

  /**
   * The database refuses RowQueue's own statements, or the COMMIT. The handler has succeeded, so no
   * attempt is counted. If the reply to a COMMIT was lost, the fence on a fresh connection decides
   * whether it happened: a claim that is still held was not acked.
   */
  Outcome releaseRefused(Claim claim, Throwable refusal) {
    try {
      return failures.releaseRefused(claim, refusal);
    } catch (ClaimLostException e) {
      if (!(refusal instanceof CommitOutcomeUnknownException)) {
        throw e;
      }
      LOG.info(
          "the COMMIT whose reply was lost had succeeded, or {} was lost before it; nothing is left"
              + " to do here",
          claim);
      return Outcome.LOST;
    }
  }

  /** {@code claim} was acked. */
  void acked(Claim claim) {
    failures.acked(claim.id());
    shortages.forget(claim.id());
  }

  /** Without a transaction the effect has already happened, and would only be repeated. */
  Outcome settleUnacked(Claim claim, HandlerPolicy policy, Throwable refusal) {
    return isOwn(refusal)
        ? failures.deadLetter(claim, DeadLetterReason.SETTLEMENT_REFUSED, refusal)
        : failures.settle(claim, policy, refusal);
  }

  /** Whether {@code failure} is the error of one of RowQueue's own statements. */
  static boolean isOwn(Throwable failure) {
    return failure instanceof DatabaseUnavailableException
        && !RollbackRequiredException.isIn(failure);
  }

  /**
   * A failed handling that must be settled.
   *
   * @param claim the claim that was handled
   * @param thrown why it failed
   * @param stopping whether it failed because its worker stops
   * @param cancelledBy who requested its cancellation; null without a request
   */
  record Failure(Claim claim, Throwable thrown, boolean stopping, @Nullable String cancelledBy) {}

  /**
   * A claim that can be handled, or the outcome of one that has already ended.
   *
   * @param call null if it cannot be handled
   * @param ended meaningful only without a call
   */
  record Prepared(@Nullable Invocation call, Outcome ended) {}
}
