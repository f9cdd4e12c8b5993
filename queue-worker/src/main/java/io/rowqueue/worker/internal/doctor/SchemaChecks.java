package io.rowqueue.worker.internal.doctor;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.SchemaException;
import io.rowqueue.internal.claim.ClaimPlan;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.schema.MessageIds;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.internal.grant.AccountCheck;
import io.rowqueue.worker.internal.grant.Grant;
import java.util.List;
import java.util.stream.Collectors;

/** Checks the tables' version, privileges and claim index. */
final class SchemaChecks {

  private static final String NEW_KEY =
      "create it again: CREATE INDEX queue_message_claim ON queue_message (topic, state, priority,"
          + " id)";

  private final Transactions transactions;
  private final Role role;

  SchemaChecks(Transactions transactions, Role role) {
    this.transactions = transactions;
    this.role = role;
  }

  List<Finding> version() {
    try {
      QueueSchema.of(transactions).check();
      return List.of(Finding.ok("schema", "version " + QueueSchema.KNOWN_VERSION));
    } catch (SchemaException e) {
      return List.of(
          Finding.problem(
              "schema",
              String.valueOf(e.getMessage()),
              "workers do not start until it matches; the other checks were skipped"));
    }
  }

  List<Finding> privileges() {
    List<Grant> missing = AccountCheck.missing(transactions, role);
    List<Grant> unchecked = AccountCheck.unchecked(role);
    if (missing.isEmpty() && !unchecked.isEmpty()) {
      return List.of(
          Finding.unknown(
              "privileges",
              "privileges of a %s that cannot be checked: %s"
                  .formatted(role.label(), joined(unchecked)),
              "compare SHOW GRANTS with the output of `queue-worker grants %s`"
                  .formatted(role.label())));
    }
    return List.of(
        missing.isEmpty()
            ? Finding.ok(
                "privileges", "the account has all privileges of a %s".formatted(role.label()))
            : Finding.problem(
                "privileges",
                "the account lacks privileges of a %s: %s".formatted(role.label(), joined(missing)),
                "let an administrator run the output of `queue-worker grants %s`"
                    .formatted(role.label())));
  }

  private static String joined(List<Grant> grants) {
    return grants.stream().map(Grant::toString).collect(Collectors.joining(", "));
  }

  List<Finding> ids() {
    MessageIds.Restarted restarted = MessageIds.find(transactions);
    return List.of(
        restarted == null
            ? Finding.ok("ids", "new message ids are above those in the tables of earlier messages")
            : Finding.problem(
                "ids",
                restarted.toString(),
                "run `queue-worker migrate`, or start a worker: both move the next id above them"));
  }

  List<Finding> claimPlan() {
    ClaimPlan plan;
    try {
      plan = ClaimPlan.of(transactions);
    } catch (DatabaseUnavailableException e) {
      return List.of(
          Finding.problem("query-plan", "EXPLAIN of a claim failed: " + e.getMessage(), NEW_KEY));
    }
    return List.of(
        plan.isByKey()
            ? Finding.ok("query-plan", "claims use only " + ClaimPlan.KEY + ", in index order")
            : Finding.problem(
                "query-plan",
                "claims use '%s' (%s)".formatted(plan.key(), plan.extra()),
                "drop the index of this name; " + NEW_KEY));
  }
}
