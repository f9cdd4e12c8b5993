package io.rowqueue.worker;

/**
 * The schema of the queue's tables.
 *
 * @param name as in the URL
 */
public record SchemaName(String name) {

  private static final int LONGEST = 64;

  /** Rejects names that no schema can have. */
  public SchemaName {
    if (name.isEmpty() || name.length() > LONGEST) {
      throw new IllegalArgumentException(
          "a schema's name has 1 to %d characters, as in app".formatted(LONGEST));
    }
    if (name.chars().anyMatch(each -> each == '\\' || Character.isISOControl(each))) {
      throw new IllegalArgumentException(
          "a schema's name must not have a backslash or a control character");
    }
  }

  /** Returns the quoted name, for use before a table's name. */
  String sql() {
    return "`" + name.replace("`", "``") + "`";
  }

  /**
   * Returns the name for {@code GRANT ... ON schema.*}, where {@code _} is a wildcard and must be
   * escaped.
   */
  String pattern() {
    return new SchemaName(name).sql().replace("_", "\\_").replace("%", "\\%");
  }
}
