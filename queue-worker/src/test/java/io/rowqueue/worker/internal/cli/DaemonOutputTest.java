package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class DaemonOutputTest {

  @Test
  void lines_thatNobodyReads_delayNoWriter_andAreCounted() throws InterruptedException {
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch writes = new CountDownLatch(6);
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    OutputStream pipe =
        new OutputStream() {
          @Override
          public void write(int one) {
            throw new AssertionError("byte by byte");
          }

          @Override
          public void write(byte[] bytes, int offset, int length) {
            try {
              reading.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
            read.write(bytes, offset, length);
            writes.countDown();
          }
        };
    PrintStream output = DaemonOutput.over(pipe, 50);
    byte[] line = "ten bytes\n".getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < 12; i++) {
      output.write(line, 0, line.length);
    }
    reading.countDown();
    writes.await();
    assertThat(read.toString(StandardCharsets.UTF_8).lines())
        .containsExactlyInAnyOrder(
            "ten bytes",
            "7 lines were dropped here: no process read this output",
            "ten bytes",
            "ten bytes",
            "ten bytes",
            "ten bytes");
  }
}
