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

/** Puts into one line why a database cannot be reached, and what to do. */
public final class ConnectFailure {

  private ConnectFailure() {}

  /** Which database, why, and what to do about it; never a password. */
  public static String describe(SQLException failure, DatabaseConfig database) {
    return "database %s: %s".formatted(database.location(), explain(failure, database));
  }

  private static String explain(SQLException failure, DatabaseConfig database) {
    return switch (failure.getErrorCode()) {
      case 1045, 1698 ->
          "it refuses %s; check --user and the password%s"
              .formatted(
                  database.user().isEmpty() ? "the login" : "user '" + database.user() + "'",
                  orTls(database));
      case 1044 -> "this user may not use the schema; grant it, or correct --url";
      case 1049 -> "there is no such schema; create it, or correct --url";
      case 1040, 1203, 1226 -> "it takes no more connections: " + firstGroup(failure);
      case 1129, 1130 -> "it takes no connections from this host: " + firstGroup(failure);
      default -> network(failure);
    };
  }

  /** The server says the same to a wrong password and to an account that must use TLS. */
  private static String orTls(DatabaseConfig database) {
    return database.url().contains("sslMode=DISABLED")
        ? ", and whether the account is to require TLS, which sslMode=DISABLED in --url switches"
            + " off"
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
      return "the driver does not take the URL: " + firstGroup(failure);
    }
    return "it does not take the connection: " + firstGroup(failure);
  }

  private static @Nullable String advice(Throwable cause) {
    if (cause instanceof UnknownHostException) {
      return "there is no host of that name; check --url";
    }
    if (cause instanceof ConnectException || cause instanceof NoRouteToHostException) {
      return "nothing answers at this address; check that the server runs, and host and port in"
          + " --url";
    }
    if (cause instanceof SocketTimeoutException) {
      return "no answer in time; check host and port in --url, and the firewalls between";
    }
    if (cause instanceof WrongArgumentException) {
      // Its words quote the part of the URL that it does not read, which may be a password.
      return "the driver does not take the URL; percent-encode : / ? # and @ in user and password,"
          + " and check the parameters' names and values";
    }
    if (cause instanceof SSLException || cause instanceof CertificateException) {
      return "no encrypted connection: %s; check sslMode in --url, and what it trusts"
          .formatted(cause.getMessage());
    }
    return null;
  }

  private static String firstGroup(SQLException failure) {
    return String.valueOf(failure.getMessage()).lines().findFirst().orElse("");
  }
}
