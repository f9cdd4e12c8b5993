package io.rowqueue.proof.security;

import static org.assertj.core.api.Assertions.assertThat;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.SecondServer;
import io.rowqueue.worker.Account;
import io.rowqueue.worker.GrantScript;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.SchemaName;
import io.rowqueue.worker.internal.grant.Grant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** An account that has what the shipped scripts grant to its roles, and nothing else. */
final class Accounts implements AutoCloseable {

  static final String PASSWORD = "Pa55-word.of.tests";

  /** Several of a role may be there at once. */
  private static final AtomicInteger created = new AtomicInteger();

  private final QueueDatabase database;
  private final String user;

  private Accounts(QueueDatabase database, String user) {
    this.database = database;
    this.user = user;
  }

  static Accounts with(QueueDatabase database, Role... roles) {
    Accounts account =
        new Accounts(database, database.name() + "_" + created.incrementAndGet() % 1_000);
    database.execute(
        "DROP USER IF EXISTS " + account.sql(),
        "CREATE USER %s IDENTIFIED BY '%s'".formatted(account.sql(), PASSWORD));
    for (Role role : roles) {
      account.grantAll(role);
    }
    return account;
  }

  /**
   * With exactly the script of {@code role} everything works, and nothing that it grants is granted
   * for nothing; one server shows that.
   */
  void assertExact(Role role, AccountActions plays) {
    plays.assertAllowed();
    for (Grant grant : SecondServer.IS_HERE ? List.<Grant>of() : each(role)) {
      assertNeeded(grant, plays);
    }
  }

  /** Without {@code grant} the server denies one of {@code plays}. */
  void assertNeeded(Grant grant, AccountActions plays) {
    without(
        grant,
        () -> assertThat(plays.firstDenied(grant)).as("denied without %s", grant).isPresent());
  }

  /** The whole script of {@code role} besides. */
  void grantAll(Role role) {
    String script =
        GrantScript.of(role)
            .text(new SchemaName(database.name()), Account.of("'" + user + "'@'%'"));
    database.execute(
        script.lines().filter(line -> line.startsWith("GRANT ")).toArray(String[]::new));
  }

  /** What an administrator counts, in this account's schema. */
  long count(String query) {
    return database.count(query);
  }

  String user() {
    return user;
  }

  private String sql() {
    return "'" + user + "'@'%'";
  }

  String url() {
    return database
        .url()
        .replaceFirst("user=[^&]*", "user=" + user)
        .replaceFirst("password=[^&]*", "password=" + PASSWORD);
  }

  DataSource dataSource() {
    MysqlDataSource dataSource = new MysqlDataSource();
    // The handshake of TLS would be most of a test that connects a thousand times.
    dataSource.setURL(url() + "&sslMode=DISABLED&allowPublicKeyRetrieval=true");
    return dataSource;
  }

  /** Every privilege of {@code role} by itself: for one table, and one column where it has any. */
  static List<Grant> each(Role role) {
    List<Grant> each = new ArrayList<>();
    for (Grant grant : Grant.of(role)) {
      if (grant.columns().isEmpty()) {
        each.add(grant);
      }
      for (String column : grant.columns()) {
        each.add(new Grant(grant.privilege(), List.of(column), grant.table()));
      }
    }
    return each;
  }

  /** Takes {@code grant} away while {@code action} runs. */
  void without(Grant grant, Runnable action) {
    database.execute("REVOKE " + on(grant) + " FROM " + sql());
    try {
      action.run();
    } finally {
      database.execute("GRANT " + on(grant) + " TO " + sql());
    }
  }

  private String on(Grant grant) {
    String columns = grant.columns().isEmpty() ? "" : " (" + grant.columns().get(0) + ")";
    boolean server = grant.privilege().equals("PROCESS") || grant.privilege().contains("ADMIN");
    String where = server ? "*.*" : schema(grant) + "." + grant.table();
    String name =
        server && database.isMariaDb() ? grant.privilege().replace('_', ' ') : grant.privilege();
    return name + columns + " ON " + where;
  }

  private String schema(Grant grant) {
    String name = grant.table().equals("*") ? database.name().replace("_", "\\_") : database.name();
    return "`" + name + "`";
  }

  @Override
  public void close() {
    database.execute("DROP USER IF EXISTS " + sql());
  }
}
