package io.rowqueue.worker.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    assertThat(program.err()).contains("--dashboard-token-file or --dashboard-users-file");
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
        .contains("of no use without --dashboard")
        .contains("of no use without --dashboard-db-user")
        .doesNotContain(SECRET);
  }
}
