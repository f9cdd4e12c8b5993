package io.rowqueue.worker.internal.grant;

import io.rowqueue.internal.database.MissingPrivilege;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.worker.Role;
import java.util.List;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.exception.DataAccessException;

/**
 * Asks before anything runs whether an account has what its role needs: a worker that may claim but
 * not set aside would show it at the first dead letter. The questions are EXPLAINs, which take the
 * privileges of the statement and change nothing.
 */
public final class AccountCheck {

  private AccountCheck() {}

  /**
   * Checks the account of {@code transactions}.
   *
   * @throws MissingPrivilegeException if it lacks something; all of it is named
   * @throws io.rowqueue.DatabaseUnavailableException if the database cannot be asked
   */
  public static void check(Transactions transactions, Role role) {
    List<Grant> missing = missing(transactions, role);
    if (!missing.isEmpty()) {
      throw new MissingPrivilegeException(message(transactions, role, missing));
    }
  }

  /**
   * What the account of {@code transactions} lacks.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if the database cannot be asked
   */
  public static List<Grant> missing(Transactions transactions, Role role) {
    return transactions.read(
        dsl -> Grant.of(role).stream().filter(grant -> isRefused(dsl, grant)).toList());
  }

  private static String message(Transactions transactions, Role role, List<Grant> missing) {
    return "account %s lacks privileges of a %s: %s; let an administrator run the output of `queue-worker grants %s`"
        .formatted(
            transactions.read(dsl -> dsl.fetchValue("SELECT CURRENT_USER()")),
            role.label(),
            missing.stream().map(Grant::toString).collect(Collectors.joining(", ")),
            role.label());
  }

  private static boolean isRefused(DSLContext dsl, Grant grant) {
    String probe = grant.probe().orElse(null);
    if (probe == null) {
      return false;
    }
    try {
      dsl.fetch(probe);
      return false;
    } catch (DataAccessException e) {
      // Whatever else may be wrong shows with its own words as soon as the worker starts.
      return MissingPrivilege.isIn(e);
    }
  }
}
