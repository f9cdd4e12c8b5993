package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.Credentials;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.internal.cli.AdminOptions.DashboardOptions;
import io.rowqueue.worker.internal.cli.CommandIo.Secrets;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DashboardOptionsTest {

  private static final String SECRET = "a-secret-of-some-length";

  @TempDir private Path folder;

  private final ProgramRun program = new ProgramRun();

  private int check(String... more) {
    String[] all = new String[4 + more.length];
    all[0] = "config";
    all[1] = "check";
    all[2] = "--url";
    all[3] = "jdbc:mysql://127.0.0.1:1/app";
    System.arraycopy(more, 0, all, 4, more.length);
    return program.run(all);
  }

  private String file(String text) throws IOException {
    return Files.writeString(folder.resolve("secret"), text).toString();
  }

  @Test
  void dashboard_withoutAPort_isRefused() {
    assertThat(check("--dashboard")).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err()).contains("--dashboard needs --admin-port");
  }

  @Test
  void dashboard_offTheLoopback_wantsToKnowWhoComes() throws IOException {
    assertThat(check("--dashboard", "--admin-port", "0", "--admin-host", "0.0.0.0")).isNotZero();
    assertThat(program.err()).contains("--dashboard-token-file, --dashboard-users-file or");
    String token = file(SECRET + "\n");
    assertThat(
            check(
                "--dashboard",
                "--admin-port",
                "0",
                "--admin-host",
                "0.0.0.0",
                "--dashboard-token-file",
                token))
        .isZero();
    assertThat(program.out()).contains("dashboard-token-file").doesNotContain(SECRET);
  }

  @Test
  void tokenAndUsers_inFilesThatChange_areReadAnew() throws IOException {
    Path file = folder.resolve("secret");
    Files.writeString(file, SECRET + "\n");
    Supplier<Credentials> token = credentials(file, null);
    assertThat(token.get().who("Bearer " + SECRET)).isEqualTo("token");
    Files.writeString(file, "ada:second-" + SECRET + "\n");
    assertThat(token.get().who("Bearer " + SECRET)).isNull();
    Supplier<Credentials> users = credentials(null, file);
    assertThat(users.get().who(basic("ada:second-" + SECRET))).isEqualTo("ada");
    Files.writeString(file, "bob:third-" + SECRET + "\n");
    assertThat(users.get().who(basic("ada:second-" + SECRET))).isNull();
    assertThat(users.get().who(basic("bob:third-" + SECRET))).isEqualTo("bob");
    Files.delete(file);
    assertThatThrownBy(users::get).hasMessageContaining(file + " cannot be read");
  }

  private static Supplier<Credentials> credentials(@Nullable Path token, @Nullable Path users) {
    List<String> args = new ArrayList<>(List.of("--dashboard"));
    if (token != null) {
      args.add("--dashboard-token-file=" + token);
    }
    if (users != null) {
      args.add("--dashboard-users-file=" + users);
    }
    DashboardOptions options = new DashboardOptions();
    new CommandLine(options).parseArgs(args.toArray(String[]::new));
    DashboardConfig config =
        DashboardOptions.Reader.read(
            options,
            AdminConfig.onPort(0),
            new DatabaseConfig("jdbc:mysql://127.0.0.1:1/app", "", ""),
            new Secrets());
    return Objects.requireNonNull(Objects.requireNonNull(config).credentials());
  }

  private static String basic(String both) {
    return "Basic " + Base64.getEncoder().encodeToString(both.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void statementTimeout_thatIsNone_isRefused() {
    assertThat(check("--admin-port", "0", "--dashboard", "--dashboard-statement-timeout", "2m"))
        .isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err())
        .contains("dashboard-statement-timeout must lie between 1 ms and 1 min, not 2 min");
    assertThat(check("--admin-port", "0", "--dashboard-statement-timeout", "1s"))
        .isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(check("--admin-port", "0", "--dashboard", "--dashboard-statement-timeout", "500ms"))
        .isZero();
    assertThat(program.out()).contains("dashboard-statement-timeout  500ms");
  }

  @Test
  void options_thatDoNotFit_areRefusedWithoutTheirSecrets() throws IOException {
    String users = file("ada:" + SECRET + "\nhunter2-" + SECRET);
    assertThat(check("--admin-port", "0", "--dashboard", "--dashboard-users-file", users))
        .isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(check("--admin-port", "0", "--dashboard-token-file", users))
        .isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(check("--admin-port", "0", "--dashboard", "--dashboard-db-password-file", users))
        .isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err())
        .contains("line 2 of the dashboard's users")
        .contains("the options of the dashboard need --dashboard")
        .contains("--dashboard-db-password-file needs --dashboard-db-user")
        .doesNotContain(SECRET);
  }

  private String queueFile(String text) throws IOException {
    return Files.writeString(folder.resolve("billing.properties"), text).toString();
  }

  private DashboardConfig read(String... args) {
    DashboardOptions options = new DashboardOptions();
    new CommandLine(options).parseArgs(args);
    return Objects.requireNonNull(
        DashboardOptions.Reader.read(
            options,
            AdminConfig.onPort(0),
            new DatabaseConfig("jdbc:mysql://127.0.0.1:1/app", "", ""),
            new Secrets()));
  }

  @Test
  void queues_inFiles_areReadWithTheirPasswords() throws IOException {
    String file = queueFile("url=jdbc:mysql://db2:3306/billing\nuser=ops\npassword=" + SECRET);
    DashboardConfig config =
        read("--dashboard", "--dashboard-queue=billing=" + file + ",Old-2=" + file);
    assertThat(config.queues()).containsOnlyKeys("billing", "Old-2");
    DatabaseConfig database = Objects.requireNonNull(config.queues().get("billing"));
    assertThat(database.location()).isEqualTo("//db2:3306/billing");
    assertThat(database.user()).isEqualTo("ops");
    assertThat(database.password()).isEqualTo(SECRET);
    queueFile("url=jdbc:mysql://db2:3306/billing\nuser=ops\npassword=another");
    assertThat(database.password()).isEqualTo("another");

    String password = file(SECRET + "\n");
    queueFile("url=jdbc:mysql://db2:3306/billing\npassword-file=" + password);
    DashboardConfig second = read("--dashboard", "--dashboard-queue", "billing=" + file);
    assertThat(Objects.requireNonNull(second.queues().get("billing")).password()).isEqualTo(SECRET);
    assertThat(check("--admin-port=0", "--dashboard", "--dashboard-queue", "billing=" + file))
        .isZero();
    assertThat(program.out()).contains("billing=" + file).doesNotContain(SECRET);
  }

  @Test
  void queues_thatCannotBe_areRefusedByName() throws IOException {
    String good = queueFile("url=jdbc:mysql://db2:3306/billing\nuser=ops");
    assertRefused("billing", "takes NAME=FILE, such as billing=billing.properties, not 'billing'");
    assertRefused("bill ing=" + good, "1 to 40 letters, digits and dashes, unlike 'bill ing'");
    assertRefused("../x=" + good, "1 to 40 letters, digits and dashes, unlike '../x'");
    assertRefused("a=" + good + ",a=" + good, "two queues have the name 'a'; give each its own");
    assertRefused(
        "a=" + folder + "/none", "--dashboard-queue a=" + folder, "there is no such file");
    assertRefused("a=" + queueFile("user=ops"), "names no database; write url=jdbc:mysql://host");
    assertRefused(
        "a=" + queueFile("url=jdbc:postgresql://db2/app"),
        "--dashboard-queue a=",
        "must begin with jdbc:mysql://");
    assertRefused(
        "a=" + queueFile("url=jdbc:mysql://db2/app\npasswort=" + SECRET),
        "has an unknown key:",
        "passwort; nearest: password");
    assertRefused(
        "a=" + queueFile("url=jdbc:mysql://db2/app\npassword=x\npassword-file=/y"),
        "--password and --password-file are both given");
    assertThat(check("--admin-port", "0", "--dashboard-queue", "a=" + good))
        .isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err())
        .contains("the options of the dashboard need --dashboard")
        .doesNotContain(SECRET);
  }

  private void assertRefused(String queue, String... words) {
    assertThat(check("--admin-port", "0", "--dashboard", "--dashboard-queue", queue))
        .isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err()).contains(words);
  }
}
