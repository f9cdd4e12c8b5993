package io.rowqueue.handle;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.claim.Claim;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import io.rowqueue.message.UnreadableException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives back what this worker cannot read, so that a newer one may, and sets aside what it has
 * given back for long. By message and worker: a release leaves no trace in the row, and a clock for
 * each topic would set aside what newer workers take within a second. Thread-safe.
 */
@Singleton
final class Unreadables {

  private static final Logger LOG = LoggerFactory.getLogger(Unreadables.class);

  private static final Duration PAUSE = Duration.ofSeconds(5);
  private static final long SAY_EVERY_NANOS = Duration.ofMinutes(1).toNanos();

  private final UnreadableSettings settings;
  private final Map<Topic, Saying> sayings = new ConcurrentHashMap<>();

  /** Made at the first one: most workers never meet any. */
  private volatile @Nullable GivenBack givenBack;

  @Inject
  Unreadables(UnreadableSettings settings) {
    this.settings = settings;
  }

  /** Settles {@code claim}, which {@code reason} keeps from being read here. */
  Outcome settle(Claim claim, FailureSettlement failures, UnreadableException reason) {
    long now = settings.clock().getAsLong();
    GivenBack known = memory();
    if (now - known.first(claim.id(), now) >= settings.after().toNanos()) {
      failures.deadLetter(claim, DeadLetterReason.UNREADABLE, reason);
      known.forget(claim.id());
    } else {
      failures.release(claim, PAUSE);
      sayings.computeIfAbsent(claim.topic(), topic -> new Saying()).say(claim, reason, now);
    }
    return Outcome.UNREADABLE;
  }

  /** {@code id} could be read. */
  void read(MessageId id) {
    GivenBack known = givenBack;
    if (known != null) {
      known.forget(id);
    }
  }

  private GivenBack memory() {
    GivenBack known = givenBack;
    if (known == null) {
      synchronized (this) {
        known = givenBack;
        if (known == null) {
          known = new GivenBack();
          givenBack = known;
        }
      }
    }
    return known;
  }

  /** Says once a minute what is given back of one topic. */
  private static final class Saying {

    private int unsaid;
    private long saidNanos;
    private boolean said;

    synchronized void say(Claim claim, UnreadableException reason, long now) {
      unsaid++;
      if (!said || now - saidNanos >= SAY_EVERY_NANOS) {
        said = true;
        saidNanos = now;
        LOG.warn(
            "given back for workers that can read them: {} of '{}', the last being {}: {}",
            unsaid,
            claim.topic(),
            claim,
            reason.getMessage());
        unsaid = 0;
      }
    }
  }
}
