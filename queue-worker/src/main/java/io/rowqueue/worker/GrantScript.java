package io.rowqueue.worker;

import io.rowqueue.worker.internal.grant.Grant;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The GRANT statements of one role, for MySQL and MariaDB. Except for the migrator's, they require
 * the queue's tables. Immutable and thread-safe.
 */
public final class GrantScript {

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{(schema|schema_pattern|account)}");

  private final String template;

  private GrantScript(String template) {
    this.template = template;
  }

  /** Returns the script of {@code role}. */
  public static GrantScript of(Role role) {
    return new GrantScript(Grant.script(role));
  }

  /** Returns the script for the queue in {@code schema} and the account {@code account}. */
  public String text(SchemaName schema, Account account) {
    Map<String, String> values =
        Map.of(
            "schema", schema.sql(), "schema_pattern", schema.pattern(), "account", account.sql());
    // Replaces in one pass, so that a value that looks like a placeholder is not replaced again.
    return PLACEHOLDER
        .matcher(template)
        .replaceAll(found -> Matcher.quoteReplacement(String.valueOf(values.get(found.group(1)))));
  }
}
