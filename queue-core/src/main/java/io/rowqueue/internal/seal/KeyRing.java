package io.rowqueue.internal.seal;

import com.google.crypto.tink.Aead;
import com.google.crypto.tink.KeyStatus;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.AeadConfig2026;
import io.rowqueue.spi.KeyId;
import io.rowqueue.spi.KeysetException;
import io.rowqueue.spi.KeysetSource;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest keyset that could be read, read again every minute while in use. No caller waits for a
 * read: a source may be slow, or never respond. Thread-safe.
 */
public final class KeyRing {

  private static final Logger LOG = LoggerFactory.getLogger(KeyRing.class);

  private static final long RELOAD_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** A missing key may just have been added. */
  private static final long MISSED_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final KeysetSource source;
  private final LongSupplier clock;
  private final Executor reloads;

  /** The class loader of the code that created the source, such as a plug-in. */
  private final ClassLoader loader = Thread.currentThread().getContextClassLoader();

  private final AtomicBoolean polling = new AtomicBoolean();
  private volatile long polledNanos;
  private volatile Keys keys;

  /** Only used by the thread that has set {@code polling}. */
  private final KnownFault known = new KnownFault(RELOAD_EVERY_NANOS);

  /**
   * Reads the keyset.
   *
   * @param reloads runs the later reads
   * @throws KeysetException if it cannot be read or used
   */
  public KeyRing(KeysetSource source, LongSupplier clock, Executor reloads) {
    this.source = source;
    this.clock = clock;
    this.reloads = reloads;
    this.polledNanos = clock.getAsLong();
    try {
      this.keys = Keys.of(source.read());
    } catch (IOException | GeneralSecurityException | RuntimeException e) {
      throw new KeysetException(describe(e), e instanceof IOException);
    }
  }

  /** The keys as of about a minute ago. */
  public Keys keys() {
    reloadNow(RELOAD_EVERY_NANOS);
    return keys;
  }

  /**
   * The keys for a caller that misses one: triggers a read at once, though not more than once a
   * second.
   */
  public Keys keysAnew() {
    reloadNow(MISSED_EVERY_NANOS);
    return keys;
  }

  /**
   * One read at a time, so that a read that hangs blocks only one thread, and none undoes a later
   * one.
   */
  private void reloadNow(long every) {
    if (clock.getAsLong() - polledNanos >= every && polling.compareAndSet(false, true)) {
      try {
        reloads.execute(this::reload);
      } catch (RuntimeException | Error e) {
        failed("the keyset of %s cannot be read (%s)".formatted(source, e));
        ended();
      }
    }
  }

  /**
   * A keyset that becomes invalid while a service runs is not used; the service keeps the old one
   * until its restart.
   */
  private void reload() {
    Thread thread = Thread.currentThread();
    ClassLoader own = thread.getContextClassLoader();
    try {
      thread.setContextClassLoader(loader);
      KeysetHandle read = source.read();
      boolean changed = !read.equalsKeyset(keys.keyset());
      if (changed) {
        keys = Keys.of(read);
        LOG.info("the keyset of {} has changed; its keys are now {}", source, keys.ids());
      }
      if (known.isOver() && !changed) {
        LOG.info("the keyset of {} can be read again", source);
      }
    } catch (IOException | GeneralSecurityException | RuntimeException e) {
      failed(describe(e));
    } finally {
      thread.setContextClassLoader(own);
      ended();
    }
  }

  private void ended() {
    polledNanos = clock.getAsLong();
    polling.set(false);
  }

  private void failed(String now) {
    if (known.isToBeSaid(now, clock.getAsLong())) {
      LOG.warn("{}; the previous keyset stays in use, and reading is retried every minute", now);
    }
  }

  /** Parsers often quote their input, which may be a key. */
  private String describe(Exception e) {
    boolean mayQuote = e instanceof RuntimeException || e.getCause() != null;
    String fault = mayQuote ? e.getClass().getName() : e.toString();
    return e instanceof GeneralSecurityException
        ? "%s does not contain a usable keyset (%s)".formatted(source, fault)
        : "the keyset of %s cannot be read (%s)".formatted(source, fault);
  }

  /** A usable keyset. */
  public record Keys(KeysetHandle keyset, Aead aead, Set<KeyId> ids) {

    static Keys of(KeysetHandle keyset) throws GeneralSecurityException {
      Set<KeyId> ids = new HashSet<>();
      for (int i = 0; i < keyset.size(); i++) {
        KeysetHandle.Entry entry = keyset.getAt(i);
        if (entry.getKey().getIdRequirementOrNull() == null) {
          throw new GeneralSecurityException(
              "payloads encrypted with key %s would not contain its id; create a key with a prefix"
                  .formatted(new KeyId(entry.getId())));
        }
        if (entry.getStatus().equals(KeyStatus.ENABLED)) {
          ids.add(new KeyId(entry.getId()));
        }
      }
      return new Keys(
          keyset, keyset.getPrimitive(AeadConfig2026.get(), Aead.class), Set.copyOf(ids));
    }
  }

  /**
   * The reason why a keyset cannot be read, and whether to log it: a caller that misses a key
   * triggers a read each second, but a fault is logged once a minute. Not thread-safe; reads run
   * one at a time.
   */
  static final class KnownFault {

    private final long againNanos;
    private @Nullable String fault;
    private long saidNanos;

    KnownFault(long againNanos) {
      this.againNanos = againNanos;
    }

    /** Whether {@code met} is new, or was last logged so long ago that it is logged again. */
    boolean isToBeSaid(String met, long nowNanos) {
      if (met.equals(fault) && nowNanos - saidNanos < againNanos) {
        return false;
      }
      fault = met;
      saidNanos = nowNanos;
      return true;
    }

    /** Called after a successful read; whether reading had failed before. */
    boolean isOver() {
      boolean was = fault != null;
      fault = null;
      return was;
    }
  }
}
