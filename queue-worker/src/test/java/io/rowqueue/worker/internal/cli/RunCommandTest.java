package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerHealth;
import io.rowqueue.worker.internal.cli.RunCommand.StopSignals;
import io.rowqueue.worker.internal.plugin.PluginJars;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunCommandTest {

  @TempDir Path handlers;

  private final List<String> events = new CopyOnWriteArrayList<>();
  private final List<Integer> halts = new ArrayList<>();
  private final StopSignals signals = new StopSignals(halts::add);

  private void plugin(String jar, String body) throws IOException {
    PluginJars.jar()
        .source(
            "shop.M",
            "package shop; public class M extends com.google.inject.AbstractModule {" + body + "}")
        .service("shop.M")
        .writeTo(handlers.resolve(jar));
  }

  private int run(ProgramRun program, String... more) {
    List<String> args = new ArrayList<>(List.of("run", "--url=jdbc:mysql://127.0.0.1:1/app"));
    args.addAll(List.of("--handlers", handlers.toString()));
    args.addAll(List.of(more));
    return program.run(args.toArray(String[]::new));
  }

  @Test
  void signal_drainsClosesAndExitsWithZero() throws IOException {
    plugin("a.jar", "");
    signals.received("TERM");
    ProgramRun program = new ProgramRun().launching((c, a, p) -> new NotedWorker(), signals);
    assertThat(run(program, "--shutdown-timeout=7s")).isZero();
    assertThat(events).containsExactly("start", "drain PT7S", "close");
    assertThat(halts).isEmpty();
  }

  @Test
  void once_handlesWhatThereIsAndExitsWithZero() throws IOException {
    plugin("a.jar", "");
    ProgramRun program = new ProgramRun().launching((c, a, p) -> new NotedWorker(), signals);
    assertThat(run(program, "--once")).isZero();
    assertThat(events).containsExactly("once", "close");
  }

  @Test
  void once_signal_drainsIt() throws IOException {
    plugin("a.jar", "");
    CountDownLatch drained = new CountDownLatch(1);
    NotedWorker worker =
        new NotedWorker() {
          @Override
          public int runOnce() {
            signals.received("TERM");
            try {
              events.add("once " + drained.await(20, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
            return 1;
          }

          @Override
          public boolean drain(Duration longest) {
            boolean all = super.drain(longest);
            drained.countDown();
            return all;
          }
        };
    ProgramRun program = new ProgramRun().launching((c, a, p) -> worker, signals);
    assertThat(run(program, "--once", "--shutdown-timeout=7s")).isZero();
    assertThat(events).containsExactly("drain PT7S", "once true", "close");
  }

  @Test
  void moduleThatThrows_isNamedWithItsJarAndItsReason() throws IOException {
    plugin(
        "a.jar",
        " protected void configure() { throw new IllegalStateException(\"SHOP_KEY is not set\");"
            + " }");
    ProgramRun program = new ProgramRun();
    assertThat(run(program)).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err())
        .contains("a.jar: shop.M (line 1) failed: java.lang.IllegalStateException: SHOP_KEY")
        .hasLineCount(2);
  }

  @Test
  void secondSignal_endsAtOnceWithTheSignalsNumber() {
    signals.received("TERM");
    signals.received("INT");
    signals.received("TERM");
    assertThat(halts).containsExactly(130, 143);
  }

  @Test
  void start_thatFails_closesAndReportsOneLine() throws IOException {
    plugin("a.jar", "");
    ProgramRun program =
        new ProgramRun()
            .launching(
                (c, a, p) ->
                    new NotedWorker() {
                      @Override
                      public void start() {
                        throw CommandFailure.failed("no luck", null);
                      }
                    },
                signals);
    assertThat(run(program)).isEqualTo(ExitCodes.FAILED);
    assertThat(program.err()).isEqualTo("rowqueue: no luck\n");
    assertThat(events).containsExactly("close");
  }

  @Test
  void brokenPlugin_isWrongUsageAndNamed() throws IOException {
    java.nio.file.Files.writeString(handlers.resolve("cut.jar"), "x");
    ProgramRun program = new ProgramRun();
    assertThat(run(program)).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err()).startsWith("rowqueue: a plug-in cannot be loaded:\n  cut.jar: ");
  }

  @Test
  void missingClassInAHandlersMethods_namesJarAndRemedy() throws IOException {
    PluginJars.jar()
        .source(
            "shop.M",
            """
            package shop;
            public class M extends com.google.inject.AbstractModule {
              protected void configure() {
                io.rowqueue.handler.HandlerBinder.bind(binder(), "t", H.class);
              }
              public static class H implements io.rowqueue.handler.MessageHandler<String> {
                public void handle(String payload, io.rowqueue.handler.HandlerContext context)
                    throws lib.Failure {}
              }
            }
            """)
        .source("lib.Failure", "package lib; public class Failure extends RuntimeException {}")
        .service("shop.M")
        .without("lib.Failure")
        .writeTo(handlers.resolve("shop.jar"));
    ProgramRun program = new ProgramRun();
    assertThat(run(program)).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err())
        .contains(
            "the handlers cannot be set up:\n"
                + "  shop.jar: class lib.Failure is not in the jar; bundle");
  }

  @Test
  void missingBinding_namesJarModuleAndRemedyWithoutAStackTrace() throws IOException {
    plugin(
        "shop.jar",
        """
        protected void configure() {
          io.rowqueue.handler.HandlerBinder.bind(binder(), "t", H.class);
        }
        public interface Stock {}
        public static class H implements io.rowqueue.handler.MessageHandler<String> {
          @jakarta.inject.Inject H(Stock stock) {}
          public void handle(String payload, io.rowqueue.handler.HandlerContext context) {}
        }
        """);
    ProgramRun program = new ProgramRun();
    assertThat(run(program)).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err())
        .contains("the handlers cannot be set up:\n  shop.jar: No implementation for")
        .contains("Stock", "bind it in the plug-in's module")
        .doesNotContain("\tat ");
  }

  @Test
  void openPayloadType_namesJarAndModule() throws IOException {
    plugin(
        "shop.jar",
        """
        @SuppressWarnings({"unchecked", "rawtypes"})
        protected void configure() {
          io.rowqueue.handler.HandlerBinder.bind(binder(), "t", (Class) H.class);
        }
        public static class H<P> implements io.rowqueue.handler.MessageHandler<P> {
          public void handle(P payload, io.rowqueue.handler.HandlerContext context) {}
        }
        """);
    ProgramRun program = new ProgramRun();
    assertThat(run(program)).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err()).contains("shop.jar: ").contains("topic 't'").doesNotContain("\tat ");
  }

  @Test
  void twoHandlersForATopic_areBothNamed() throws IOException {
    String body =
        """
        protected void configure() {
          io.rowqueue.handler.HandlerBinder.bind(binder(), "t", H.class);
          io.rowqueue.handler.HandlerBinder.bind(binder(), "t", H2.class);
        }
        public static class H implements io.rowqueue.handler.MessageHandler<String> {
          public void handle(String payload, io.rowqueue.handler.HandlerContext context) {}
        }
        public static class H2 extends H {}
        """;
    plugin("shop.jar", body);
    ProgramRun program = new ProgramRun();
    assertThat(run(program)).isEqualTo(ExitCodes.WRONG_USAGE);
    assertThat(program.err()).contains("topic 't' has two handlers", "shop.M$H ", "shop.M$H2 ");
  }

  @Test
  void databaseDown_isOneLineAndItsOwnCode() throws IOException {
    plugin(
        "shop.jar",
        """
        protected void configure() {
          io.rowqueue.handler.HandlerBinder.bind(binder(), "t", H.class);
        }
        public static class H implements io.rowqueue.handler.MessageHandler<String> {
          public void handle(String payload, io.rowqueue.handler.HandlerContext context) {}
        }
        """);
    ProgramRun program = new ProgramRun();
    assertThat(run(program)).isEqualTo(ExitCodes.DATABASE_UNAVAILABLE);
    assertThat(program.err()).startsWith("rowqueue: database //127.0.0.1:1/app: ").hasLineCount(1);
  }

  private class NotedWorker implements Worker {
    @Override
    public void onDrainRequested(Runnable action) {}

    @Override
    public int runOnce() {
      events.add("once");
      return 0;
    }

    @Override
    public void start() {
      events.add("start");
    }

    @Override
    public WorkerHealth health() {
      throw new UnsupportedOperationException("not asked for");
    }

    @Override
    public boolean drain(Duration longest) {
      events.add("drain " + longest);
      return true;
    }

    @Override
    public void close() {
      events.add("close");
    }
  }
}
