package io.rowqueue.worker;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The accepted logins: one token with any user name, or users with passwords. Keeps digests only
 * and compares them in constant time. Immutable and thread-safe.
 */
public final class Credentials {

  /** In characters; shorter secrets can be guessed. */
  static final int SHORTEST = 12;

  private static final byte[] NO_PASSWORD = digest("");

  private final byte @Nullable [] token;
  private final byte @Nullable [] readToken;
  private final Map<String, User> users;

  private Credentials(
      byte @Nullable [] token, byte @Nullable [] readToken, Map<String, User> users) {
    this.token = token;
    this.readToken = readToken;
    this.users = users;
  }

  /**
   * An authenticated user.
   *
   * @param name for people and the audit log
   * @param permissions what the user may change; empty for one who only reads
   */
  public record Login(String name, Set<Permission> permissions) {

    /** Copies the permissions. */
    public Login {
      permissions = Set.copyOf(permissions);
    }

    /**
     * The user of {@code entry}: a name, or a name, a colon and a role, as in {@code
     * bob:redrive+pause}. A name alone may change anything.
     */
    public static Login of(String entry) {
      int colon = entry.lastIndexOf(':');
      Set<Permission> role = colon < 1 ? null : Permission.ofRole(entry.substring(colon + 1));
      return role == null
          ? new Login(entry, Permission.all())
          : new Login(entry.substring(0, colon), role);
    }
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record User(byte[] password, Set<Permission> permissions) {}

  /**
   * Accepts everyone who sends {@code token}.
   *
   * @throws IllegalArgumentException if it is shorter than 12 characters
   */
  public static Credentials token(String token) {
    return new Credentials(digest(longEnough("the dashboard's token", token)), null, Map.of());
  }

  /**
   * Accepts everyone who sends {@code token}, and those who send {@code readToken} for reading.
   *
   * @throws IllegalArgumentException if one is shorter than 12 characters, or they are equal
   */
  public static Credentials tokens(String token, String readToken) {
    if (token.equals(readToken)) {
      throw new IllegalArgumentException("the dashboard's two tokens are equal");
    }
    return new Credentials(
        digest(longEnough("the dashboard's token", token)),
        digest(longEnough("the dashboard's read-only token", readToken)),
        Map.of());
  }

  /**
   * Accepts users from lines of the form {@code user:password} or {@code user:password:role}, where
   * the role is {@code read}, {@code operate} (the default) or {@link Permission permissions}, as
   * in {@code redrive+pause}; empty lines and lines that begin with # are ignored.
   *
   * @throws IllegalArgumentException if there is no user, or a line is malformed; the message
   *     quotes no password
   */
  public static Credentials users(String lines) {
    Map<String, User> users = new HashMap<>();
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
        Login secret = Login.of(line.substring(colon + 1));
        users.put(
            line.substring(0, colon),
            new User(digest(longEnough(what, secret.name())), secret.permissions()));
      }
    }
    if (users.isEmpty()) {
      throw new IllegalArgumentException("the dashboard's users file has no user");
    }
    return new Credentials(null, null, Map.copyOf(users));
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
    Login login = login(authorization);
    return login == null ? null : login.name();
  }

  /** As {@link #who}, with what the user may do. */
  public @Nullable Login login(@Nullable String authorization) {
    if (authorization == null) {
      return null;
    }
    String[] parts = authorization.strip().split(" +", 2);
    if (parts.length < 2) {
      return null;
    }
    if (parts[0].equalsIgnoreCase("Bearer")) {
      return byToken("token", parts[1]);
    }
    return parts[0].equalsIgnoreCase("Basic") ? basic(parts[1]) : null;
  }

  private @Nullable Login basic(String encoded) {
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
      return byToken(user.isBlank() ? "token" : user + " (by token)", secret);
    }
    User known = users.get(user);
    boolean same =
        MessageDigest.isEqual(digest(secret), known == null ? NO_PASSWORD : known.password());
    return same && known != null ? new Login(user, known.permissions()) : null;
  }

  private @Nullable Login byToken(String name, String secret) {
    byte[] given = digest(secret);
    boolean operates = token != null && MessageDigest.isEqual(given, token);
    boolean reads = readToken != null && MessageDigest.isEqual(given, readToken);
    return operates || reads ? new Login(name, operates ? Permission.all() : Set.of()) : null;
  }

  /** Returns the secrets in {@code lines}, to be redacted in output. */
  public static List<String> secrets(String lines) {
    List<String> secrets = new ArrayList<>();
    lines.lines().map(String::strip).forEach(line -> secrets.add(secret(line)));
    return secrets;
  }

  /** What stands behind the first colon, without a role. */
  private static String secret(String line) {
    return Login.of(line.substring(line.indexOf(':') + 1)).name();
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
