package io.rowqueue.worker.internal;

import com.mysql.cj.conf.ConnectionUrlParser;
import com.mysql.cj.conf.HostInfo;
import com.mysql.cj.exceptions.CJException;
import com.mysql.cj.jdbc.Driver;
import io.rowqueue.worker.DatabaseConfig;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The properties passed to Connector/J, and the URL parameters that RowQueue rejects because they
 * change what its statements do, return or count. {@code DriverParametersTest} checks that every
 * parameter of the driver is covered.
 */
public final class DriverParameters {

  private static final String LEFT_OUT = "remove it";

  /** Parameters that are fixed to one value, with the reason. */
  static final Map<String, Fixed> FIXED =
      Map.ofEntries(
          fixed("useCursorFetch", "false", "it prepares statements that MySQL cannot prepare"),
          fixed("defaultFetchSize", "0", "it affects RowQueue's statements too"),
          fixed("maxRows", "-1", "RowQueue would see only some of its rows"),
          fixed(
              "useAffectedRows",
              "false",
              "RowQueue checks claim ownership by the number of rows found"),
          fixed("emulateUnsupportedPstmts", "false", "the driver would hide errors that roll back"),
          fixed("autoReconnect", "false", "half of a transaction could be lost silently"),
          fixed("autoReconnectForPools", "false", "half of a transaction could be lost silently"),
          fixed("reconnectAtTxEnd", "false", "half of a transaction could be lost silently"),
          fixed("useLocalTransactionState", "false", "the driver would skip COMMITs and ROLLBACKs"),
          fixed(
              "elideSetAutoCommits",
              "false",
              "the driver would skip statements that end transactions"),
          fixed("jdbcCompliantTruncation", "true", "the server would truncate text silently"),
          fixed("blobsAreStrings", "false", "payloads are bytes"),
          fixed("functionsNeverReturnBlobs", "false", "payloads are bytes"),
          fixed("emulateLocators", "false", "payloads would be read differently"),
          fixed("ultraDevHack", "false", "it prepares statements that MySQL cannot prepare"),
          fixed("autoGenerateTestcaseScript", "false", "it writes every statement to stderr"),
          fixed("characterSetResults", "utf8mb4", "text would be read with question marks"),
          fixed("characterEncoding", "UTF-8", "text would be stored as question marks"));

  /** A parameter's only permitted value, compared case-insensitively, and the reason. */
  record Fixed(String value, String reason) {}

  /** Parameters of every connection, unless its URL sets them. */
  private static final Map<String, String> DEFAULTS = defaults();

  private DriverParameters() {}

  private static Map<String, String> defaults() {
    Map<String, String> defaults = new HashMap<>();
    defaults.put("connectTimeout", "5000");
    defaults.put("tcpKeepAlive", "true");
    String sockets = KeepAliveSocketFactory.class.getName();
    if (isVisibleToDriver(sockets)) {
      defaults.put("socketFactory", sockets);
    }
    return defaults;
  }

  /** False for an application in a container whose driver is the container's. */
  private static boolean isVisibleToDriver(String className) {
    try {
      Class.forName(className, false, Driver.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  private static Map.Entry<String, Fixed> fixed(String name, String value, String reason) {
    return Map.entry(name, new Fixed(value, reason));
  }

  /**
   * Checks the parameters of a URL.
   *
   * @throws IllegalArgumentException if RowQueue does not support one of the values
   */
  public static void check(String url) {
    Map<String, String> given = parameters(url);
    check("the database URL has", name -> given.get(name.toLowerCase(Locale.ROOT)));
  }

  /**
   * Checks the parameters that {@code given} returns by name; null for one that is not set.
   *
   * @throws IllegalArgumentException if RowQueue does not support one of the values; its message
   *     begins with {@code where}
   */
  static void check(String where, Function<String, @Nullable String> given) {
    FIXED.forEach(
        (name, fixed) -> {
          String value = given.apply(name);
          if (value != null && !isSame(value, fixed.value)) {
            throw new IllegalArgumentException(
                "%s %s=%s, and RowQueue does not work with it: %s; %s"
                    .formatted(
                        where,
                        name,
                        value,
                        fixed.reason,
                        where.contains("URL") ? LEFT_OUT : "set it to " + fixed.value));
          }
        });
  }

  private static boolean isSame(String given, String fixed) {
    String plain = given.toLowerCase(Locale.ROOT).replace("-", "").replace("utf8mb4", "utf8");
    return plain.equals(fixed.toLowerCase(Locale.ROOT).replace("-", "").replace("utf8mb4", "utf8"))
        || (fixed.equals("-1") && given.equals("0"))
        || (fixed.equals("false") && given.equalsIgnoreCase("no"))
        || (fixed.equals("true") && given.equalsIgnoreCase("yes"));
  }

  /** Returns the parameters by lower-case name; empty for a URL that the driver rejects. */
  private static Map<String, String> parameters(String url) {
    Map<String, String> found = new HashMap<>();
    try {
      ConnectionUrlParser parser = ConnectionUrlParser.parseConnectionString(url);
      parser.getProperties().forEach((name, value) -> put(found, name, value));
      for (HostInfo host : parser.getHosts()) {
        host.getHostProperties().forEach((name, value) -> put(found, name, value));
      }
    } catch (CJException e) {
      // The driver reports its own error.
      found.clear();
    }
    return found;
  }

  private static void put(Map<String, String> found, String name, String value) {
    found.put(name.toLowerCase(Locale.ROOT), String.valueOf(value));
  }

  /**
   * Returns account, current password, and those defaults and {@code settings} that the URL does
   * not set.
   *
   * @throws java.io.UncheckedIOException if the password cannot be read
   */
  public static Properties of(DatabaseConfig database, Map<String, String> settings) {
    Properties properties = new Properties();
    Map<String, String> given = parameters(database.url());
    Map<String, String> all = new TreeMap<>(DEFAULTS);
    all.putAll(settings);
    if ("pipe".equalsIgnoreCase(given.get("protocol"))) {
      all.remove("socketFactory");
    }
    all.forEach(
        (name, value) -> {
          if (!given.containsKey(name.toLowerCase(Locale.ROOT))) {
            properties.setProperty(name, value);
          }
        });
    if (!database.user().isEmpty()) {
      properties.setProperty("user", database.user());
    }
    // Set even without a user, since the URL may name one.
    String password = database.password();
    if (!password.isEmpty()) {
      properties.setProperty("password", password);
    }
    return properties;
  }
}
