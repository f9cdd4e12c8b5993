package io.rowqueue.seal;

import com.google.crypto.tink.KeysetHandle;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The newest keyset that could be read, looked for again every minute of its use. Thread-safe. */
final class KeyRing {

  private static final Logger LOG = LoggerFactory.getLogger(KeyRing.class);

  private static final long LOOK_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final KeysetSource source;
  private final LongSupplier clock;
  private final AtomicLong lookedNanos;
  private volatile Keys keys;

  /**
   * Reads the keyset.
   *
   * @throws KeysetException if it cannot be read or used
   */
  KeyRing(KeysetSource source, LongSupplier clock) {
    this.source = source;
    this.clock = clock;
    this.lookedNanos = new AtomicLong(clock.getAsLong());
    try {
      this.keys = Keys.of(source.read());
    } catch (IOException | GeneralSecurityException | RuntimeException e) {
      throw new KeysetException("the keyset cannot be read: " + describe(e));
    }
  }

  /** The keys as they were at most a minute ago. */
  Keys keys() {
    long looked = lookedNanos.get();
    long now = clock.getAsLong();
    if (now - looked >= LOOK_EVERY_NANOS && lookedNanos.compareAndSet(looked, now)) {
      look();
    }
    return keys;
  }

  /** Whoever breaks the keyset of a running service has until its restart to mend it. */
  private void look() {
    try {
      KeysetHandle read = source.read();
      if (!read.equalsKeyset(keys.keyset())) {
        keys = Keys.of(read);
        LOG.info("the keyset has changed; its keys are {} now", keys.ids());
      }
    } catch (IOException | GeneralSecurityException | RuntimeException e) {
      LOG.warn("the keyset cannot be read; the one before stays in use: {}", describe(e));
    }
  }

  /** Parsers like to quote what they could not parse, and that may be a key. */
  private static String describe(Exception e) {
    boolean parsed = e instanceof RuntimeException || e.getCause() != null;
    return parsed ? "it is no keyset (" + e.getClass().getName() + ")" : e.toString();
  }
}
