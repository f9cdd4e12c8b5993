package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.Topic;
import io.rowqueue.worker.ClaimConfig;
import io.rowqueue.worker.Rate;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerHealth;
import io.rowqueue.worker.internal.cli.RunCommand.StopSignals;
import io.rowqueue.worker.internal.plugin.PluginJars;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClaimOptionsTest {

  @TempDir Path handlers;

  private final StopSignals signals = new StopSignals(code -> {});
  private final List<ClaimConfig> claims = new ArrayList<>();
  private final ProgramRun program =
      new ProgramRun()
          .launching(
              (config, admin, plugins) -> {
                claims.add(config.claims());
                return new Idle();
              },
              signals);

  @BeforeEach
  void plugin() throws IOException {
    PluginJars.jar()
        .source(
            "shop.M", "package shop; public class M extends com.google.inject.AbstractModule {}")
        .service("shop.M")
        .writeTo(handlers.resolve("a.jar"));
  }

  private int run(String... more) {
    List<String> args = new ArrayList<>(List.of("run", "--url=jdbc:mysql://127.0.0.1:1/app"));
    args.addAll(List.of("--handlers", handlers.toString()));
    args.addAll(List.of(more));
    signals.received("TERM");
    return program.run(args.toArray(String[]::new));
  }

  @Test
  void defaults_leaveTheChoiceToTheServer() {
    assertThat(run()).as(program.err()).isZero();
    assertThat(claims).containsExactly(ClaimConfig.defaults());
  }

  @Test
  void options_reachTheConfiguration() {
    assertThat(
            run(
                "--claim-strategy=update-limit",
                "--cursor=false",
                "--topic-weight=orders=3,emails=2",
                "--worker-rate-limit=emails=30/m"))
        .as(program.err())
        .isZero();
    assertThat(claims.get(0).settings().strategy()).isEqualTo(Kind.UPDATE_LIMIT);
    assertThat(claims.get(0).settings().cursor()).isFalse();
    assertThat(claims.get(0).weight(new Topic("orders"))).isEqualTo(3);
    assertThat(claims.get(0).weight(new Topic("others"))).isOne();
    assertThat(claims.get(0).rates())
        .containsOnlyKeys(new Topic("emails"))
        .containsValue(new Rate(30, Duration.ofMinutes(1)));
  }

  @Test
  void environment_givesThemToo() {
    program
        .with("ROWQUEUE_TOPIC_WEIGHT", "orders=3")
        .with("ROWQUEUE_WORKER_RATE_LIMIT", "orders=5/s");
    assertThat(run()).as(program.err()).isZero();
    assertThat(claims.get(0).weights()).containsOnlyKeys(new Topic("orders"));
    assertThat(claims.get(0).rates()).containsOnlyKeys(new Topic("orders"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--claim-strategy=fastest",
        "--cursor=perhaps",
        "--topic-weight=orders",
        "--topic-weight=orders=0",
        "--topic-weight=\u00f6=1",
        "--worker-rate-limit=orders=100",
        "--worker-rate-limit=orders=0/s",
        "--worker-rate-limit=orders=5/d"
      })
  void option_thatCannotBeMeant_isRefusedByName(String option) {
    assertThat(run(option)).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err()).contains(name(option));
    assertThat(claims).isEmpty();
  }

  private static String name(String option) {
    // What the configuration refuses is named by the topic.
    return option.endsWith("orders=0")
        ? "weight of topic 'orders'"
        : option.substring(0, option.indexOf('='));
  }

  private static final class Idle implements Worker {
    @Override
    public void onDrainRequested(Runnable action) {}

    @Override
    public void start() {}

    @Override
    public int runOnce() {
      throw new UnsupportedOperationException("run was asked for, not run --once");
    }

    @Override
    public WorkerHealth health() {
      throw new UnsupportedOperationException("not asked for");
    }

    @Override
    public boolean drain(Duration longest) {
      return true;
    }

    @Override
    public void close() {}
  }
}
