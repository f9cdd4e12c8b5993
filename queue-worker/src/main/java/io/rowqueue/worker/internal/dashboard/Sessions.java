package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.worker.DashboardConfig;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Sessions: a random cookie identifies the browser, and the CSRF token is derived from it with a
 * secret of this process. Keeps the notice for a browser's next page, and when the last thousand
 * sessions were used. Thread-safe.
 */
@Singleton
class Sessions {

  private static final String COOKIE = "rowqueue-session";
  private static final Pattern OWN =
      Pattern.compile("(?:^|;\\s*)" + COOKIE + "=([\\w-]{22})(?:;|$)");
  private static final String ALGORITHM = "HmacSHA256";
  private static final int MOST_NOTES = 1_000;

  private final SecureRandom random = new SecureRandom();
  private final SecretKeySpec secret = new SecretKeySpec(random(32), ALGORITHM);

  private final Map<String, String> notes = limited();
  private final Map<String, Life> lives = limited();
  private final Map<String, String> refreshes = limited();

  private final DashboardConfig.SessionEnd end;

  @Inject
  Sessions(DashboardConfig config) {
    this.end = config.sessions();
  }

  private static <T> Map<String, T> limited() {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1L;

      @Override
      protected boolean removeEldestEntry(Map.Entry<String, T> eldest) {
        return size() > MOST_NOTES;
      }
    };
  }

  /** When a session was first and last used, by {@link System#nanoTime}. */
  private record Life(long first, long last) {}

  /**
   * Returns whether the session has ended, once: the next request begins it anew.
   *
   * @param used whether the request is one of the user, and not a refresh of an open page
   */
  boolean hasEnded(String session, boolean used) {
    long now = System.nanoTime();
    synchronized (lives) {
      Life life = lives.getOrDefault(session, new Life(now, now));
      if (now - life.first() > end.longest().toNanos()
          || now - life.last() > end.idle().toNanos()) {
        lives.remove(session);
        return true;
      }
      lives.put(session, used ? new Life(life.first(), now) : life);
      return false;
    }
  }

  private byte[] random(int bytes) {
    byte[] value = new byte[bytes];
    random.nextBytes(value);
    return value;
  }

  /** Creates a session. */
  String make() {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(random(16));
  }

  /** Returns the session of the cookie header; null if it has none. */
  @Nullable String of(@Nullable String cookies) {
    if (cookies == null) {
      return null;
    }
    Matcher matcher = OWN.matcher(cookies);
    return matcher.find() ? matcher.group(1) : null;
  }

  /** Returns the cookie header for the session. */
  static String cookie(String session, String path) {
    return "%s=%s; Path=%s; HttpOnly; SameSite=Strict".formatted(COOKIE, session, path);
  }

  /** Returns the session's CSRF token. */
  String token(String session) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(secret);
      return Base64.getUrlEncoder()
          .withoutPadding()
          .encodeToString(mac.doFinal(session.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JVM has " + ALGORITHM, e);
    }
  }

  /** Compares {@code token} with the session's in constant time. */
  boolean isToken(String session, String token) {
    return MessageDigest.isEqual(
        token(session).getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns how often the session's pages refresh, as it last chose; empty if it never did. */
  String refresh(String session, String chosen) {
    synchronized (refreshes) {
      if (!chosen.isEmpty()) {
        refreshes.put(session, chosen);
      }
      return refreshes.getOrDefault(session, "");
    }
  }

  /** Shows {@code note} on the session's next page. */
  void note(String session, String note) {
    synchronized (notes) {
      notes.put(session, note);
    }
  }

  /** Removes and returns the notice for the next page; null if there is none. */
  @Nullable String told(String session) {
    synchronized (notes) {
      return notes.remove(session);
    }
  }
}
