package io.rowqueue.worker.internal.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.EnqueueException;
import io.rowqueue.EnqueueOutcomeUnknownException;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import java.io.ByteArrayInputStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BulkEnqueueTest {

  private static final int CHUNK = 1_000;

  private static String numbers(int count) {
    return IntStream.rangeClosed(1, count)
        .mapToObj(Integer::toString)
        .collect(Collectors.joining("\n"));
  }

  private static BulkEnqueue bulk(String text, Target target) {
    return bulk(text, target, Progress.SILENT, new ShutdownReport());
  }

  private static BulkEnqueue bulk(
      String text, Target target, Progress progress, ShutdownReport shutdown) {
    return new BulkEnqueue(
        new MessageOptions.Template(new Topic("t"), MessageOptions.Due.NOW, null, null, Map.of()),
        new JsonLines(new ByteArrayInputStream(text.getBytes(UTF_8)), 9 << 20, 1),
        target,
        progress,
        shutdown);
  }

  @Test
  void run_manyLines_inChunksOfAThousand() {
    Target target = new Target(true);
    assertThat(bulk(numbers(2_500), target).run()).isEqualTo(2_500);
    assertThat(target.chunks).containsExactly(CHUNK, CHUNK, 500);
    assertThat(target.finished).isTrue();
  }

  @Test
  void run_longLines_boundsAChunkByBytes() {
    Target target = new Target(true);
    String line = "\"" + "x".repeat(5 << 20) + "\"\n";
    assertThat(bulk(line.repeat(3), target).run()).isEqualTo(3);
    assertThat(target.chunks).containsExactly(2, 1);
  }

  @Test
  void run_badLine_saysWhatIsInAndWhereToGoOn() {
    assertThatThrownBy(() -> bulk(numbers(1_500) + "\n{bad", new Target(true)).run())
        .isInstanceOf(CommandFailure.class)
        .hasMessageContaining("line 1501 is not JSON")
        .hasMessageContaining("1000 messages, all up to line 1000, are in the queue")
        .hasMessageEndingWith("continue with --from-line 1001");
  }

  @Test
  void run_badLineInTheFirstChunk_saysThatNothingIsIn() {
    assertThatThrownBy(() -> bulk("1\n{bad", new Target(true)).run())
        .hasMessageEndingWith("; nothing was enqueued");
  }

  @Test
  void run_badLineInOneTransaction_saysThatNothingIsIn() {
    Target target = new Target(false);
    assertThatThrownBy(() -> bulk(numbers(1_500) + "\n{bad", target).run())
        .hasMessageEndingWith("; nothing was enqueued");
    assertThat(target.finished).isFalse();
  }

  @Test
  void run_databaseFails_saysWhereToGoOn() {
    Target target = new Target(true);
    target.failure = new EnqueueException("no space left", new SQLException("disk"));
    target.failing = 2;
    assertThatThrownBy(() -> bulk("\n" + numbers(2_500), target).run())
        .hasMessageContaining("no space left; 1000 messages, all up to line 1001, are in")
        .hasMessageEndingWith("--from-line 1002");
  }

  @Test
  void run_commitWithoutAnswer_saysWhichLinesAreInDoubt() {
    Target target = new Target(true);
    target.failure = new EnqueueOutcomeUnknownException("lost", new SQLException("gone", "08S01"));
    target.failing = 2;
    assertThatThrownBy(() -> bulk(numbers(2_500), target).run())
        .hasMessageContaining("of lines 1001 to 2000 all are or none")
        .hasMessageEndingWith("--from-line 1001 or 2001");
    Target atomic = new Target(false);
    atomic.failure = target.failure;
    atomic.failing = 3;
    assertThatThrownBy(() -> bulk(numbers(2_500), atomic).run())
        .hasMessageContaining("either all")
        .hasMessageContaining("or none");
  }

  @Test
  void run_signal_endsItAndSaysWhereToGoOn() {
    ShutdownReport shutdown = new ShutdownReport();
    Progress signal = (steps, messages) -> shutdown.requested(text -> {});
    Target target = new Target(true);
    assertThatThrownBy(() -> bulk(numbers(2_500), target, signal, shutdown).run())
        .hasMessage(
            "a signal has stopped it; 1000 messages, all up to line 1000, are in the queue;"
                + " continue with --from-line 1001");
    assertThat(target.chunks).containsExactly(CHUNK);
    assertThatThrownBy(
            () -> bulk(numbers(2_500), new Target(false), Progress.SILENT, shutdown).run())
        .hasMessage("a signal has stopped it; nothing was enqueued");
  }

  private static final class Target implements BulkEnqueue.Target {
    private final List<Integer> chunks = new ArrayList<>();
    private final boolean keeps;
    private boolean finished;
    private int failing;
    private RuntimeException failure = new IllegalStateException("unset");

    Target(boolean keeps) {
      this.keeps = keeps;
    }

    @Override
    public void write(List<NewMessage> chunk) {
      if (chunks.size() + 1 == failing) {
        throw failure;
      }
      chunks.add(chunk.size());
    }

    @Override
    public void finish() {
      finished = true;
    }

    @Override
    public boolean keepsChunks() {
      return keeps;
    }

    @Override
    public void close() {}
  }
}
