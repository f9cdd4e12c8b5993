package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.Credentials;
import io.rowqueue.worker.Credentials.Login;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DashboardConfig.AuthProxy;
import io.rowqueue.worker.Permission;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Authenticates requests. Without credentials, only the names of localhost are accepted in the Host
 * header, as a protection against DNS rebinding. A trusted proxy may name the user in a header.
 * Changes are accepted only from the dashboard's own pages, by the browser's origin headers and the
 * session's CSRF token.
 */
@Singleton
class Gate {

  /** The size of a form in bytes: two hundred ids with their fields. */
  static final int LARGEST_FORM = 65_536;

  private static final Set<String> SAME = Set.of("same-origin", "none");

  private static final Logger LOG = LoggerFactory.getLogger(Gate.class);

  private final @Nullable Supplier<Credentials> credentials;
  private final String base;
  private final @Nullable AuthProxy proxy;
  private final Sessions sessions;
  private final AuditTable audit;

  @Inject
  Gate(DashboardConfig config, AdminConfig admin, Sessions sessions, AuditTable audit) {
    this.audit = audit;
    this.credentials = config.credentials();
    this.base = config.path();
    this.proxy = config.proxy();
    this.sessions = sessions;
    config.check(admin);
  }

  /**
   * Returns the authenticated request.
   *
   * @throws Refusal if it is rejected
   * @throws IOException if its form cannot be read
   */
  Call enter(Request request) throws IOException {
    String method = request.method();
    if (!Set.of("GET", "HEAD", "POST").contains(method)) {
      throw new Refusal(405, "Only GET, HEAD and POST are supported.");
    }
    checkHost(request);
    Actor who = who(request);
    String known = sessions.of(request.header("Cookie"));
    Theme theme = Theme.of(request.header("Cookie"));
    URI uri = request.uri();
    Params query = Params.of(uri.getRawQuery());
    boolean login = credentials != null && request.login() == null && byProxy(request) == null;
    if (login && known != null && sessions.hasEnded(known, !Call.isRefresh(query))) {
      throw new Refusal(401, "Your session has ended. Nothing was changed. Log in again.");
    }
    if (!method.equals("POST")) {
      String session = known == null ? sessions.make() : known;
      return new Call(path(uri), query, Params.NONE, who, session, theme);
    }
    checkOrigin(request);
    Params form = form(request);
    if (known == null || !sessions.isToken(known, form.raw("csrf"))) {
      throw new Refusal(
          403,
          "This form belongs to another browser session, or the worker has been restarted. Nothing"
              + " was changed. Open the page again and submit it from there.");
    }
    return new Call(path(uri), query, form, who, known, theme);
  }

  private String path(URI uri) {
    String path = uri.getPath().substring(base.length());
    return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
  }

  private void checkHost(Request request) {
    String host = request.header("Host");
    if (credentials == null
        && proxy == null
        && request.login() == null
        && (host == null || !isOwn(withoutPort(host)))) {
      throw new Refusal(
          403,
          "The dashboard is available on this host only, as localhost or 127.0.0.1. For"
              + " other names, start the worker with --dashboard-token-file or"
              + " --dashboard-users-file.");
    }
  }

  private static String withoutPort(String host) {
    int end = host.startsWith("[") ? host.indexOf(']') + 1 : host.indexOf(':');
    return (end <= 0 ? host : host.substring(0, end)).toLowerCase(Locale.ROOT);
  }

  private static boolean isOwn(String name) {
    return name.equals("localhost") || name.equals("[::1]") || name.matches("127(\\.\\d{1,3}){3}");
  }

  private Actor who(Request request) {
    String address = request.address();
    if (request.login() != null) {
      return actor(request.login(), address);
    }
    Login named = byProxy(request);
    if (named != null) {
      return actor(named, address);
    }
    if (credentials == null) {
      if (proxy != null) {
        throw new Refusal(
            403, "The dashboard is available through its proxy only, for users that it names.");
      }
      return actor(new Login(Actor.UNKNOWN, Permission.all()), address);
    }
    String given = request.header("Authorization");
    Login login = given == null ? null : known(credentials).login(given);
    if (login == null) {
      if (given != null) {
        Audit.write(new Actor(Actor.UNKNOWN, address), "enter", "-", "refused: wrong credentials");
      }
      throw new Refusal(401, "Authentication required.");
    }
    return actor(login, address);
  }

  private Actor actor(Login login, String address) {
    return new Actor(Texts.firstLine(login.name(), 64), address, login.permissions(), audit);
  }

  /** The user that the proxy names; null if it is another client, or names none, or more. */
  private @Nullable Login byProxy(Request request) {
    if (proxy == null || !proxy.addresses().contains(request.address())) {
      return null;
    }
    List<String> names = request.headers(proxy.header());
    if (names.size() != 1 || names.get(0).isBlank()) {
      return null;
    }
    String name = names.get(0).strip();
    Map<String, Set<Permission>> operators = proxy.operators();
    return new Login(
        name, operators == null ? Permission.all() : operators.getOrDefault(name, Set.of()));
  }

  /** Reads the current credentials; rejects every request while they cannot be read. */
  private static Credentials known(Supplier<Credentials> credentials) {
    try {
      return credentials.get();
    } catch (UncheckedIOException | IllegalArgumentException e) {
      LOG.warn("the dashboard rejects all logins: {}", e.getMessage());
      throw new Refusal(503, "Logins are not possible now: see the worker's log.");
    }
  }

  /** A browser sends at least one of these headers with a form, and scripts cannot change them. */
  private static void checkOrigin(Request request) {
    String site = request.header("Sec-Fetch-Site");
    String origin = request.header("Origin");
    if (site != null && !SAME.contains(site)) {
      throw new Refusal(403, "Cross-site request. Nothing was changed.");
    }
    // A page that sends no referrer has no origin either.
    boolean hidden = "null".equals(origin) && "same-origin".equals(site);
    if (origin != null && !hidden && !isOwn(origin, request)) {
      throw new Refusal(
          403,
          "Cross-site request: Origin %s differs from Host %s; does the proxy keep Host? Nothing was changed."
              .formatted(Texts.firstLine(origin, 200), request.header("Host")));
    }
  }

  private static boolean isOwn(String origin, Request request) {
    int end = origin.indexOf("://");
    if (end < 0) {
      return false;
    }
    // A proxy may speak another scheme than the browser; the Host header names none.
    String scheme = origin.substring(0, end + 3);
    String host = request.header("Host");
    String asked = withPort(origin);
    return (host != null && asked.equals(withPort(scheme + host)))
        || (request.origin() != null && asked.equals(withPort(request.origin())));
  }

  /** As browsers compare origins: in lower case, and with the scheme's port. */
  private static String withPort(String origin) {
    String lower = origin.toLowerCase(Locale.ROOT);
    return lower.matches(".*:\\d+") ? lower : lower + (lower.startsWith("https:") ? ":443" : ":80");
  }

  private static Params form(Request request) throws IOException {
    String type = request.header("Content-Type");
    if (type == null
        || !type.toLowerCase(Locale.ROOT).startsWith("application/x-www-form-urlencoded")) {
      throw new Refusal(415, "Changes must be submitted as forms.");
    }
    byte[] body = request.body().readNBytes(LARGEST_FORM + 1);
    if (body.length > LARGEST_FORM) {
      throw new Refusal(
          413,
          "The form is larger than %s. Nothing was changed.".formatted(Texts.bytes(LARGEST_FORM)));
    }
    return Params.of(new String(body, StandardCharsets.UTF_8));
  }
}
