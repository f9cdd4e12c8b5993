package io.rowqueue.worker;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The accepted logins: one token with any user name, or users with passwords. Keeps digests only
 * and compares them in constant time. Immutable and thread-safe.
 */
public final class Credentials {

  /** In characters; shorter secrets can be guessed. */
  static final int SHORTEST = 12;

  private static final byte[] NOBODY = digest("");

  private final byte @Nullable [] token;
  private final Map<String, byte[]> users;

  private Credentials(byte @Nullable [] token, Map<String, byte[]> users) {
    this.token = token;
    this.users = users;
  }

  /**
   * Accepts everyone who sends {@code token}.
   *
   * @throws IllegalArgumentException if it is shorter than 12 characters
   */
  public static Credentials token(String token) {
    return new Credentials(digest(longEnough("the dashboard's token", token)), Map.of());
  }

  /**
   * Accepts users from lines of the form {@code user:password}; empty lines and lines that begin
   * with # are ignored.
   *
   * @throws IllegalArgumentException if there is no user, or a line is malformed; the message
   *     quotes no password
   */
  public static Credentials users(String lines) {
    Map<String, byte[]> users = new HashMap<>();
    int number = 0;
    for (String line : lines.lines().map(String::strip).toList()) {
      number++;
      if (!line.isEmpty() && !line.startsWith("#")) {
        int colon = line.indexOf(':');
        if (colon < 1) {
          throw new IllegalArgumentException(
              "line %d of the dashboard's users is not of the form user:password"
                  .formatted(number));
        }
        String what = "the password in line %d of the dashboard's users".formatted(number);
        users.put(line.substring(0, colon), digest(longEnough(what, line.substring(colon + 1))));
      }
    }
    if (users.isEmpty()) {
      throw new IllegalArgumentException("the dashboard's users file has no user");
    }
    return new Credentials(null, Map.copyOf(users));
  }

  private static String longEnough(String what, String secret) {
    if (secret.length() < SHORTEST) {
      throw new IllegalArgumentException(
          "%s has %d characters; it needs at least %d".formatted(what, secret.length(), SHORTEST));
    }
    return secret;
  }

  /**
   * Authenticates a request. Returns the user's name, or the name that the holder of the token
   * gave; null if the credentials are wrong.
   *
   * @param authorization the header's value; null if it is missing
   */
  public @Nullable String who(@Nullable String authorization) {
    if (authorization == null) {
      return null;
    }
    String[] parts = authorization.strip().split(" +", 2);
    if (parts.length < 2) {
      return null;
    }
    if (parts[0].equalsIgnoreCase("Bearer")) {
      return isToken(parts[1]) ? "token" : null;
    }
    return parts[0].equalsIgnoreCase("Basic") ? basic(parts[1]) : null;
  }

  private @Nullable String basic(String encoded) {
    String decoded;
    try {
      decoded = new String(Base64.getDecoder().decode(encoded), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return null;
    }
    int colon = decoded.indexOf(':');
    if (colon < 0) {
      return null;
    }
    String user = decoded.substring(0, colon);
    String secret = decoded.substring(colon + 1);
    if (token != null) {
      return isToken(secret) ? (user.isBlank() ? "token" : user + " (by token)") : null;
    }
    boolean same = MessageDigest.isEqual(digest(secret), users.getOrDefault(user, NOBODY));
    return same && users.containsKey(user) ? user : null;
  }

  private boolean isToken(String secret) {
    return token != null && MessageDigest.isEqual(digest(secret), token);
  }

  /** Returns the secrets in {@code lines}, to be redacted in output. */
  public static List<String> secrets(String lines) {
    List<String> secrets = new ArrayList<>();
    lines
        .lines()
        .map(String::strip)
        .forEach(line -> secrets.add(line.substring(line.indexOf(':') + 1)));
    return secrets;
  }

  private static byte[] digest(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  /** Returns the number of users. */
  @Override
  public String toString() {
    return token == null ? "Credentials[" + users.size() + " users]" : "Credentials[token]";
  }
}
