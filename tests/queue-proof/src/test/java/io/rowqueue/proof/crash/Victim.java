package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.process.KillProbe;
import io.rowqueue.tests.process.KillProbe.Moment;
import io.rowqueue.tests.process.Wire;
import io.rowqueue.tests.process.Wire.Loss;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A process that will be killed: the shipped worker with the test's plug-in, or a program. */
final class Victim implements AutoCloseable {

  private static final int SECONDS = 60;
  private static final int KILLED = 128 + 9;

  private final Process process;
  private final Moment moment;
  private final ServerSocket control;
  private final Wire wire;
  private final Path log;

  private Victim(Process process, Moment moment, ServerSocket control, Wire wire, Path log) {
    this.process = process;
    this.moment = moment;
    this.control = control;
    this.wire = wire;
    this.log = log;
  }

  /** Starts the process of {@code scene}; {@code plugins} holds the jar of the test's plug-in. */
  static Victim start(Scene scene, Moment moment, QueueDatabase database, Path plugins)
      throws IOException {
    Wire wire = Wire.to(database.url());
    ServerSocket control = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    control.setSoTimeout((int) TimeUnit.SECONDS.toMillis(SECONDS));
    String url = wire.through(database.url());
    ProcessBuilder builder = scene.role().process(url, plugins);
    Map<String, String> environment = builder.environment();
    environment.put(KillProbe.TRANSITION, scene.transition().name());
    environment.put(KillProbe.MOMENT, moment.name());
    environment.put(KillProbe.PORT, Integer.toString(control.getLocalPort()));
    Path log = Files.createTempFile(plugins, scene + "-" + moment + "-", ".log");
    Process process = builder.redirectOutput(log.toFile()).start();
    return new Victim(process, moment, control, wire, log);
  }

  void terminate() {
    process.destroy();
  }

  /** Waits until it stands at its COMMIT, and kills it there with SIGKILL. */
  void awaitAndKill() throws Exception {
    try (Socket probe = control.accept()) {
      probe.setSoTimeout((int) TimeUnit.SECONDS.toMillis(SECONDS));
      assertThat(probe.getInputStream().read())
          .as("the process came to its COMMIT; if not, its log says why:\n%s", log())
          .isEqualTo(1);
      if (moment == Moment.DURING) {
        wire.loseNextCommit(Loss.HELD_BACK);
        probe.getOutputStream().write(1);
        wire.lost().get(SECONDS, TimeUnit.SECONDS);
      }
      process.destroyForcibly();
      assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(KILLED);
    } catch (IOException e) {
      throw new AssertionError("the process never came to its COMMIT; its log:\n" + log(), e);
    }
  }

  private String log() throws IOException {
    return Files.readString(log);
  }

  @Override
  public void close() throws Exception {
    process.destroyForcibly().waitFor();
    control.close();
    wire.close();
    Files.delete(log);
  }
}
