package io.rowqueue.worker.internal.grant;

import io.rowqueue.QueueException;
import io.rowqueue.internal.database.MissingPrivilege;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.worker.Role;
import java.util.List;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.exception.DataAccessException;

/**
 * Checks at startup whether an account has its role's privileges: a worker that may claim but not
 * dead-letter would otherwise fail at the first dead letter. Uses EXPLAIN, which needs the
 * privileges of the explained statement and changes nothing.
 */
public final class AccountCheck {

  private AccountCheck() {}

  /**
   * Checks the account of {@code transactions}.
   *
   * @throws MissingPrivilegeException if privileges are missing; lists all of them
   * @throws io.rowqueue.DatabaseUnavailableException if the database cannot be reached
   */
  public static void check(Transactions transactions, Role role) {
    List<Grant> missing = missing(transactions, role);
    if (!missing.isEmpty()) {
      throw new MissingPrivilegeException(message(transactions, role, missing));
    }
  }

  /**
   * Returns the missing privileges of the account of {@code transactions}.
   *
   * @throws io.rowqueue.DatabaseUnavailableException if the database cannot be reached
   */
  public static List<Grant> missing(Transactions transactions, Role role) {
    return transactions.read(
        dsl -> Grant.of(role).stream().filter(grant -> isRefused(dsl, grant)).toList());
  }

  /** Returns the privileges of {@code role} that no read-only statement can check. */
  public static List<Grant> unchecked(Role role) {
    return Grant.of(role).stream().filter(grant -> grant.probe().isEmpty()).toList();
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
      // Other errors are reported when the worker starts.
      return MissingPrivilege.isIn(e);
    }
  }

  /** The account lacks privileges of its role; the message lists them. */
  public static final class MissingPrivilegeException extends QueueException {

    public MissingPrivilegeException(String message) {
      super(message);
    }
  }
}
