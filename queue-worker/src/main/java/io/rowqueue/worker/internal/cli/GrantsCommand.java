package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.Account;
import io.rowqueue.worker.GrantScript;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.SchemaName;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the least privileges of a role as SQL; connects to nothing. */
@Command(
    name = "grants",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker grants ROLE... --schema SCHEMA --account NAME[@HOST]",
    description = {
      "Prints the GRANT statements that an account of these roles needs, and no more: producer,"
          + " ring, publish, subscribe, schedule, deduplication, order, batch, room, await, worker,"
          + " operator, partition, keys or migrator. They are the same for MySQL and MariaDB; an"
          + " administrator reads and runs them, after migrate, on an account that is there.",
      "It needs no database and changes nothing: queue-worker grants worker --schema app --account"
          + " 'app@10.%%' | mysql -u root -p"
    })
@SuppressWarnings({"NullAway.Init", "UnusedVariable"}) // picocli sets and reads the fields
final class GrantsCommand implements Callable<Integer> {

  @Mixin private final HelpOptions help = new HelpOptions();

  @Mixin private final CommonOptions common = new CommonOptions();

  @Parameters(
      paramLabel = "ROLE",
      arity = "1..*",
      converter = RoleText.class,
      description =
          "What the account is for: producer, ring, publish, subscribe, schedule, deduplication,"
              + " order, batch, room, await, worker, operator, partition, keys, migrator.")
  private List<Role> roles;

  @LineOnly
  @Option(
      names = "--schema",
      paramLabel = "SCHEMA",
      description = "The schema that the queue's tables lie in. Required.")
  private @Nullable String schema;

  @LineOnly
  @Option(
      names = "--account",
      paramLabel = "NAME[@HOST]",
      description = "Whom they are granted to, such as app@10.%%, or a role's name. Required.")
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
    try {
      SchemaName in = new SchemaName(schemaName);
      Account to = Account.of(accountText);
      return new LinkedHashSet<>(roles)
          .stream()
              .map(role -> GrantScript.of(role).text(in, to).strip())
              .collect(Collectors.joining("\n\n"));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }
}
