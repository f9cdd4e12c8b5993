package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.database.FreshConnections;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.doctor.Doctor;
import io.rowqueue.worker.doctor.DoctorSettings;
import io.rowqueue.worker.doctor.Finding;
import io.rowqueue.worker.doctor.Severity;
import io.rowqueue.worker.grant.Grant;
import io.rowqueue.worker.grant.Role;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the doctor sees with the accounts that it is run with. */
@QueueTest
class DoctorAccountIT {

  private final QueueDatabase database;

  DoctorAccountIT(QueueDatabase database) {
    this.database = database;
  }

  private static List<Finding> examine(Accounts account, Role role) {
    try {
      return Doctor.of(account.dataSource(), DoctorSettings.defaults().withRole(role)).examine();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Nobody is alive here, which is all that it finds. */
  @ParameterizedTest
  @EnumSource(names = {"WORKER", "OPERATOR"})
  void examine_withExactlyItsScript_seesAllButOthersTransactions(Role role) {
    try (Accounts account = Accounts.with(database, role)) {
      List<Finding> findings = examine(account, role);
      assertThat(findings)
          .filteredOn(finding -> finding.severity().compareTo(Severity.WARNING) >= 0)
          .extracting(Finding::subject)
          .containsExactly("workers");
      assertThat(findings)
          .filteredOn(finding -> finding.found().contains("could not be looked at"))
          .isEmpty();
    }
  }

  @Test
  void examine_withoutAPrivilege_namesIt() {
    try (Accounts account = Accounts.with(database, Role.WORKER)) {
      account.without(
          new Grant("INSERT", List.of(), "queue_dead_letter"),
          () ->
              assertThat(examine(account, Role.WORKER))
                  .filteredOn(finding -> finding.subject().equals("privileges"))
                  .singleElement()
                  .satisfies(
                      finding -> {
                        assertThat(finding.severity()).isEqualTo(Severity.PROBLEM);
                        assertThat(finding.found()).endsWith("INSERT on queue_dead_letter");
                        assertThat(finding.advice()).contains("queue-worker grants worker");
                      }));
    }
  }

  /** As behind a proxy that gives connections other ids, the sleep of the one is not seen. */
  @Test
  void examine_whereConnectionsDoNotSeeEachOther_findsThatRingsAreLost() throws SQLException {
    try (Accounts account = Accounts.with(database, Role.WORKER)) {
      AtomicInteger opened = new AtomicInteger();
      DataSource mixed =
          new FreshConnections(
              () ->
                  opened.getAndIncrement() % 2 == 0
                      ? database.connect()
                      : account.dataSource().getConnection());
      Set<String> said = new HashSet<>();
      for (int first = 0; first < 2; first++) {
        opened.set(first);
        Doctor.of(mixed, DoctorSettings.defaults()).examine().stream()
            .filter(finding -> finding.subject().equals("connection"))
            .forEach(finding -> said.add(finding.found()));
      }
      assertThat(said).anyMatch(found -> found.startsWith("KILL QUERY does not arrive"));
    }
  }
}
