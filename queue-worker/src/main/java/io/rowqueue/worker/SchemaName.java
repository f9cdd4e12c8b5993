package io.rowqueue.worker;

/**
 * The schema that the queue's tables lie in.
 *
 * @param name as the URL has it
 */
public record SchemaName(String name) {

  private static final int LONGEST = 64;

  /** Refuses what no schema can be called. */
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

  /** As SQL has it before a table's name. */
  String sql() {
    return "`" + name.replace("`", "``") + "`";
  }

  /** As GRANT has it before {@code .*}, where {@code _} would stand for any character. */
  String pattern() {
    return new SchemaName(name).sql().replace("_", "\\_").replace("%", "\\%");
  }
}
