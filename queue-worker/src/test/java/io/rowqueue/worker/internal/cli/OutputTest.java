package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.worker.internal.cli.CommandIo.Output;
import java.io.IOException;
import java.io.OutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutputTest {

  private final OutputStream full =
      new OutputStream() {
        @Override
        public void write(int value) throws IOException {
          throw new IOException("No space left on device");
        }
      };

  private final ProgramRun program = new ProgramRun();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "grants worker --schema app --account app",
        "completion bash",
        "config check --url jdbc:mysql://127.0.0.1:1/app",
        "topics pause --help",
        "--version"
      })
  void show_diskFull_isAFailure(String line) {
    program.writingTo(new Output(full, () -> false));
    assertThat(program.run(line.split(" "))).isEqualTo(ExitCodes.FAILED);
    assertThat(program.err())
        .isEqualTo(
            "rowqueue: standard output cannot be written (No space left on device); the queue was"
                + " not changed, so run the command again\n");
  }

  @Test
  void show_readerGone_isQuiet() {
    program.writingTo(new Output(full, () -> true));
    assertThat(program.run("grants", "worker", "--schema", "app", "--account", "app")).isZero();
    assertThat(program.err()).isEmpty();
  }

  @Test
  void tell_diskFull_isToldOnStandardError() {
    program.writingTo(new Output(full, () -> false)).io().report("message 5 enqueued to t");
    assertThat(program.err()).isEqualTo("rowqueue: message 5 enqueued to t\n");
    assertThat(program.io().out().failure())
        .isEqualTo(
            "standard output cannot be written (No space left on device); what was done is printed"
                + " above");
  }
}
