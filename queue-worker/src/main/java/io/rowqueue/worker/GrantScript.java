package io.rowqueue.worker;

import io.rowqueue.worker.internal.grant.Grant;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The GRANT statements of one role, for MySQL and MariaDB alike. They need the queue's tables to be
 * there, but for the migrator's. Immutable and thread-safe.
 */
public final class GrantScript {

  private static final Pattern PLACEHOLDER = Pattern.compile("\\{(schema|schema_pattern|account)}");

  private final String template;

  private GrantScript(String template) {
    this.template = template;
  }

  /** The script of {@code role}. */
  public static GrantScript of(Role role) {
    return new GrantScript(Grant.script(role));
  }

  /** The script for the queue in {@code schema} and the account {@code account}. */
  public String text(SchemaName schema, Account account) {
    Map<String, String> values =
        Map.of(
            "schema", schema.sql(), "schema_pattern", schema.pattern(), "account", account.sql());
    // In one go: what was put in is not looked at again.
    return PLACEHOLDER
        .matcher(template)
        .replaceAll(found -> Matcher.quoteReplacement(String.valueOf(values.get(found.group(1)))));
  }
}
