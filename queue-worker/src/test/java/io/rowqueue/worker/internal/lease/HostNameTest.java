package io.rowqueue.worker.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.worker.internal.lease.WorkerLease.HostName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostNameTest {

  @TempDir private Path folder;

  @Test
  void name_thatNothingResolves_isTheKernels() throws IOException {
    Path kernel = Files.writeString(folder.resolve("hostname"), "no.such.host.invalid\n");
    assertThat(HostName.find(kernel)).isEqualTo("no.such.host.invalid");
  }

  @Test
  void withoutLinux_isResolved() throws IOException {
    assertThat(HostName.find(folder.resolve("none"))).isNotBlank();
    Path empty = Files.writeString(folder.resolve("empty"), "\n");
    assertThat(HostName.find(empty)).isEqualTo(HostName.find(folder.resolve("none")));
  }
}
