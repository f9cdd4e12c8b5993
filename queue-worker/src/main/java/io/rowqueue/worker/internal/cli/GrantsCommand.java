package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.Account;
import io.rowqueue.worker.GrantScript;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.SchemaName;
import io.rowqueue.worker.internal.cli.Converters.EnumConverter;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "grants",
    customSynopsis = "queue-worker grants ROLE... --schema SCHEMA --account NAME[@HOST]",
    description = {
      "Prints the GRANT statements that an account with these roles needs, and no others.",
      "They are the same for MySQL and MariaDB. An administrator reviews and runs them after"
          + " migrate, on an existing account. Connects to no database and changes nothing.",
      "",
      "  producer            enqueue and publish messages",
      "  producer-replacing  replace waiting messages; in addition to producer",
      "  notifier            notify workers from another account than theirs",
      "  result-reader       await the results of handlers",
      "  configurator        change schedules and subscriptions",
      "  worker              run handlers",
      "  operator            use the operator commands and the dashboard",
      "  migrator            create and update the tables, partition the archive",
      "",
      "Example: queue-worker grants worker --schema app --account 'app@10.%%' | mysql -u root -p"
    })
final class GrantsCommand implements Callable<Integer> {

  @Parameters(
      paramLabel = "ROLE",
      arity = "1..*",
      converter = EnumConverter.Roles.class,
      completionCandidates = EnumConverter.Roles.class,
      description = "Roles of the account, as listed above.")
  private List<Role> roles = List.of();

  @Option(
      names = "--schema",
      paramLabel = "SCHEMA",
      description = "Schema of the queue's tables. Required.")
  private @Nullable String schema;

  @Option(
      names = "--account",
      paramLabel = "NAME[@HOST]",
      description =
          "Account or database role that gets the privileges, such as app@10.0.0.5. Required.")
  private @Nullable String account;

  private final CommandIo io;

  GrantsCommand(CommandIo io) {
    this.io = io;
  }

  @Override
  public Integer call() {
    if (schema == null || account == null) {
      throw CommandFailure.usage(
          "name the schema and the account, as in --schema app --account app@10.%");
    }
    io.show(text(schema, account));
    return ExitCodes.OK;
  }

  private String text(String schemaName, String accountText) {
    return CommandFailure.usage(
        () -> {
          SchemaName in = new SchemaName(schemaName);
          Account to = Account.of(accountText);
          return new LinkedHashSet<>(roles)
              .stream()
                  .map(role -> GrantScript.of(role).text(in, to).strip())
                  .collect(Collectors.joining("\n\n"));
        });
  }
}
