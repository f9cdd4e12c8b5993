package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.worker.internal.doctor.Finding;
import io.rowqueue.worker.internal.doctor.Severity;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DoctorCommandTest {

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final List<Finding> FINDINGS =
      List.of(
          new Finding("server", Severity.OK, "MariaDB", ""),
          new Finding("history", Severity.UNKNOWN, "not seen", ""),
          new Finding("workers", Severity.WARNING, "none is alive", "start one"));

  @Test
  void fill_ofFindings_hasTheWorstAndEachInItsOrder() throws IOException {
    ObjectNode root = JSON.createObjectNode();
    DoctorCommand.fill(root, FINDINGS);
    assertThat(root)
        .isEqualTo(
            JSON.readTree(
                """
                {"worst": "warning", "findings": [
                  {"subject": "server", "severity": "ok", "found": "MariaDB", "advice": ""},
                  {"subject": "history", "severity": "unknown", "found": "not seen", "advice": ""},
                  {"subject": "workers", "severity": "warning", "found": "none is alive",
                    "advice": "start one"}]}
                """));
  }

  @Test
  void lines_ofFindings_haveTheWorstFirstAndAdviceBelowAndASum() {
    assertThat(DoctorCommand.lines(FINDINGS, false).lines())
        .containsExactly(
            "warning  workers        none is alive",
            "                        -> start one",
            "unknown  history        not seen",
            "ok       1 check; --all prints them",
            "",
            "0 problems, 1 warning, 1 not checked; exit code 5");
    assertThat(DoctorCommand.lines(FINDINGS, true).lines())
        .containsExactly(
            "warning  workers        none is alive",
            "                        -> start one",
            "unknown  history        not seen",
            "ok       server         MariaDB",
            "",
            "0 problems, 1 warning, 1 not checked; exit code 5");
  }

  @ParameterizedTest
  @CsvSource({"OK, 0", "UNKNOWN, 0", "WARNING, 5", "PROBLEM, 6"})
  void exitCode_isThatOfTheWorst(Severity worst, int code) {
    Finding ok = new Finding("server", Severity.OK, "MariaDB", "");
    Finding other = new Finding("workers", worst, "found", "do");
    assertThat(DoctorCommand.exitCode(List.of(ok, other))).isEqualTo(code);
  }

  @Test
  void exitCode_ofMoreUnknownThanKnown_isThatOfProblems() {
    Finding unknown = new Finding("history", Severity.UNKNOWN, "not seen", "");
    assertThat(DoctorCommand.exitCode(List.of(unknown))).isEqualTo(6);
  }
}
