package io.rowqueue.worker.internal;

import com.mysql.cj.conf.PropertySet;
import com.mysql.cj.conf.RuntimeProperty;
import com.mysql.cj.jdbc.JdbcConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Checks how the driver of a data source of the application is configured. */
final class DriverCheck {

  private static final String CONNECTIONS = "the data source's connections have";

  private DriverCheck() {}

  /**
   * Checks the parameters with which {@code connection} was opened.
   *
   * @throws WorkerStartException if RowQueue does not work with one of them
   */
  static void check(Connection connection) throws SQLException {
    try {
      if (connection.isWrapperFor(JdbcConnection.class)) {
        PropertySet properties = connection.unwrap(JdbcConnection.class).getPropertySet();
        DriverParameters.check(CONNECTIONS, name -> value(properties, name));
      } else {
        String url = String.valueOf(connection.getMetaData().getURL());
        DriverParameters.check(CONNECTIONS, name -> value(url, name));
      }
    } catch (IllegalArgumentException e) {
      throw new WorkerStartException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Null for a default that has no effect. The driver itself changes some values later. */
  private static @Nullable String value(PropertySet properties, String name) {
    RuntimeProperty<?> property = properties.getProperty(name);
    boolean emulates =
        name.equals("emulateUnsupportedPstmts")
            && properties.getBooleanProperty("useServerPrepStmts").getValue();
    Object initial = property.getInitialValue();
    boolean isDefault = Objects.equals(initial, property.getPropertyDefinition().getDefaultValue());
    return initial == null || (isDefault && !emulates) ? null : initial.toString();
  }

  /** MariaDB's driver has some of the parameters by the names of MySQL's. */
  private static @Nullable String value(String url, String name) {
    for (String parameter : url.substring(url.indexOf('?') + 1).split("&", -1)) {
      if (parameter.toLowerCase(Locale.ROOT).startsWith(name.toLowerCase(Locale.ROOT) + "=")) {
        return parameter.substring(name.length() + 1);
      }
    }
    return null;
  }
}
