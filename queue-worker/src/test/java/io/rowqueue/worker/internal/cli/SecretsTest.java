package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.worker.internal.cli.CommandIo.Secrets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretsTest {

  private static final String SECRET = "hunter2secret";

  @TempDir Path directory;

  private static void neverPrinted(ProgramRun program) {
    assertThat(program.out() + program.err()).isNotEmpty().doesNotContain(SECRET);
  }

  @Test
  void help_andVersion_withSecretsInTheEnvironment_doNotPrintThem() {
    for (String command : List.of("run", "migrate", "enqueue", "status")) {
      for (String flag : List.of("--help", "--version")) {
        ProgramRun program = new ProgramRun().with("ROWQUEUE_PASSWORD", SECRET);
        program.with("ROWQUEUE_URL", "jdbc:mysql://u:" + SECRET + "@db/app");
        assertThat(program.run(command, flag)).isZero();
        neverPrinted(program);
      }
    }
  }

  @Test
  void failedConnect_withSecretsEverywhere_doesNotPrintThem() throws IOException {
    String file =
        Files.writeString(directory.resolve("c.properties"), "password=" + SECRET).toString();
    for (String url :
        List.of(
            "jdbc:mysql://u:" + SECRET + "@127.0.0.1:1/app",
            "jdbc:mysql://127.0.0.1:1/app?password=" + SECRET,
            "jdbc:mysql://address=(host=127.0.0.1)(port=1)(password=" + SECRET + ")/app",
            "jdbc:mysql://127.0.0.1:port:" + SECRET + "/app",
            "jdbc:postgresql://u:" + SECRET + "@db/app")) {
      ProgramRun program = new ProgramRun();
      assertThat(program.run("status", "--verbose", "--config", file, "--url", url)).isPositive();
      neverPrinted(program);
    }
  }

  @Test
  void mistypedOption_doesNotRepeatItsValue() {
    for (String[] args :
        new String[][] {
          {"run", "--passwrod", SECRET},
          {"run", "--passwrod=" + SECRET},
          {"status", SECRET},
          {"enqueue", "--header", SECRET, "--topic=t", "--payload=1"},
          {"run", "--url=jdbc:mysql://h/app", "--password", SECRET, "--threads", SECRET}
        }) {
      ProgramRun program = new ProgramRun();
      assertThat(program.run(args)).isEqualTo(ExitCodes.WRONG_USAGE);
      neverPrinted(program);
    }
  }

  @Test
  void unreadablePasswordFile_namesTheFileOnly() {
    ProgramRun program = new ProgramRun();
    assertThat(
            program.run(
                "status", "--url=jdbc:mysql://h/app", "--password-file", directory.toString()))
        .isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err()).contains("the file " + directory);
  }

  @Test
  void files_thatNeverEnd_areRefusedAndNotReadToTheirEnd() throws IOException {
    Path large = directory.resolve("large");
    Files.writeString(large, "#" + "x".repeat(1 << 20));
    for (String name : new String[] {"--config", "--password-file"}) {
      for (Path file : List.of(large, Path.of("/dev/zero"))) {
        ProgramRun program = new ProgramRun();
        assertThat(program.run("status", "--url=jdbc:mysql://h/app", name, file.toString()))
            .isEqualTo(ExitCodes.WRONG_USAGE);
        assertThat(program.err()).contains(file + " has more than ").contains(" bytes; it is no");
      }
    }
  }

  @Test
  void url_thatTheDriverComplainsOf_losesItsPasswordHoweverItIsWritten() {
    for (String url :
        List.of(
            "jdbc:mysql://u:" + SECRET + "/x@127.0.0.1:1/app",
            "jdbc:mysql://u:hunter2%73ecret@127.0.0.1:1/app",
            "jdbc:mysql://u:" + SECRET + "@127.0.0.1:port/app",
            "jdbc:mysql://127.0.0.1:1/app?user=u&Password=" + SECRET,
            "jdbc:mysql://(host=127.0.0.1,port=1,user=u,password=" + SECRET + ")/app",
            "jdbc:mysql://[u:" + SECRET + "@127.0.0.1:1,u:" + SECRET + "@127.0.0.1:2]/app",
            "jdbc:mysql://u:" + SECRET + "@127.0.0.1:1/app?sslMode=" + "NOSUCH",
            "jdbc:mysql://u:" + SECRET + "@:::/app")) {
      ProgramRun program = new ProgramRun().with("ROWQUEUE_URL", url);
      assertThat(program.run("status", "--verbose", "--log-level=TRACE")).as(url).isPositive();
      neverPrinted(program);
      assertThat(program.err()).doesNotContain("hunter2%73");
    }
  }

  @Test
  void hide_urlsAndKnownPasswords_areStarred() {
    Secrets secrets = new Secrets();
    secrets.add("s3cr");
    assertThat(secrets.hide("jdbc:mysql://u:p@h/a?password=x&y=1 s3cr trustStorePassword=q"))
        .isEqualTo("jdbc:mysql://***@h/a?password=***&y=1 *** trustStorePassword=***");
    assertThat(secrets.toString()).doesNotContain("s3cr");
  }
}
