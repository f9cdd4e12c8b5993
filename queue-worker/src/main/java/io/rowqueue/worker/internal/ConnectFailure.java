package io.rowqueue.worker.internal;

import com.mysql.cj.exceptions.WrongArgumentException;
import io.rowqueue.worker.DatabaseConfig;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.sql.SQLException;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** Explains in one line why a database cannot be reached, and the remedy. */
public final class ConnectFailure {

  private ConnectFailure() {}

  /** Names the database, the cause and the remedy; never a password. */
  public static String describe(SQLException failure, DatabaseConfig database) {
    return "database %s: %s".formatted(database.location(), explain(failure, database));
  }

  private static String explain(SQLException failure, DatabaseConfig database) {
    return switch (failure.getErrorCode()) {
      case 1045, 1698 ->
          "it rejects %s; check --user and the password%s"
              .formatted(
                  database.user().isEmpty() ? "the login" : "user '" + database.user() + "'",
                  orTls(database));
      case 1044 -> "this user has no privileges on the schema; grant them, or correct --url";
      case 1049 -> "the schema does not exist; create it, or correct --url";
      case 1040, 1203, 1226 -> "it accepts no more connections: " + firstLine(failure);
      case 1298 ->
          "%s; load its time zone tables (mysql_tzinfo_to_sql), or correct connectionTimeZone in --url"
              .formatted(firstLine(failure));
      case 1820, 1862 -> "the password has expired; set another one by ALTER USER";
      case 1129, 1130 -> "it accepts no connections from this host: " + firstLine(failure);
      default -> network(failure);
    };
  }

  /**
   * The server reports the same error for a wrong password and for an account that requires TLS.
   */
  private static String orTls(DatabaseConfig database) {
    return database.url().contains("sslMode=DISABLED")
        ? ", and whether the account requires TLS, which sslMode=DISABLED in --url turns" + " off"
        : "";
  }

  private static String network(SQLException failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < 20; depth++) {
      String advice = advice(cause);
      if (advice != null) {
        return advice;
      }
      cause = cause.getCause();
    }
    if ("08001".equals(failure.getSQLState()) && failure.getCause() == null) {
      return "the driver rejects the URL: " + firstLine(failure);
    }
    String answer = firstLine(failure);
    return "it rejects the connection: "
        + answer
        + (answer.contains("Public Key Retrieval")
            ? "; use TLS (sslMode=REQUIRED in --url), or add allowPublicKeyRetrieval=true"
            : "");
  }

  private static @Nullable String advice(Throwable cause) {
    if (cause instanceof UnknownHostException) {
      return "unknown host; check --url";
    }
    if (cause instanceof ConnectException || cause instanceof NoRouteToHostException) {
      return "no server listens at this address; check that the server runs, and host and port in"
          + " --url";
    }
    if (cause instanceof SocketTimeoutException) {
      return "no answer in time; check host and port in --url, and firewalls";
    }
    if (cause instanceof WrongArgumentException) {
      // The driver's message quotes the part of the URL that it cannot parse, which may be a
      // password.
      return "the driver rejects the URL; percent-encode : / ? # and @ in user and password,"
          + " and check the parameters' names and values";
    }
    if (cause instanceof SSLException || cause instanceof CertificateException) {
      return "no encrypted connection: %s; check sslMode in --url, and the trusted certificates"
          .formatted(cause.getMessage());
    }
    return null;
  }

  private static String firstLine(SQLException failure) {
    return String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
  }
}
