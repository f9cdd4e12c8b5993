package org.example.micronaut;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

final class Papers {

  private Papers() {}

  static void insert(Connection connection, String text) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO paper VALUES (?)")) {
      insert.setString(1, text);
      insert.executeUpdate();
    }
  }
}
