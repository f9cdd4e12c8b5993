package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.internal.claim.QueueCounts;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.depth.Histogram;
import io.rowqueue.internal.depth.Statistics;
import io.rowqueue.internal.depth.Statistics.Period;
import io.rowqueue.internal.depth.Statistics.Row;
import io.rowqueue.internal.depth.WorkCounts;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.observe.ListedWorker;
import io.rowqueue.worker.internal.observe.QueueStatus;
import io.rowqueue.worker.internal.observe.StatusReader;
import io.rowqueue.worker.internal.observe.TopicStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "top",
    description =
        "Shows each topic's counts, and the throughput, failures and times (95th percentiles) of"
            + " all workers over the last five minutes, and the number of live workers, again every"
            + " five seconds until it is stopped. Each count stops at 100,000. Locks nothing.")
final class TopCommand extends QueueCommand implements Callable<Integer> {

  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration SPAN = Duration.ofMinutes(5);
  private static final String CLEAR = "\u001b[H\u001b[2J";

  /**
   * A topic, with what workers did in the last minutes.
   *
   * @param enqueued messages enqueued a minute; null if unknown
   */
  record Line(TopicStatus status, WorkCounts work, long minutes, @Nullable Double enqueued) {

    private @Nullable Double rate(long count) {
      return minutes == 0 ? null : rounded(count / (60.0 * minutes));
    }

    private @Nullable Double enqueuedRate() {
      return enqueued == null ? null : rounded(enqueued / 60);
    }

    private static double rounded(double rate) {
      return Math.round(10 * rate) / 10.0;
    }

    private @Nullable Long millis(long[] counts) {
      Duration percentile = Histogram.percentile(counts, 0.95);
      return percentile == null ? null : percentile.toMillis();
    }
  }

  static final List<Column<Line>> WORK =
      List.of(
          Column.right("ENQUEUED/S", "enqueuedPerSecond", Line::enqueuedRate),
          Column.right(
              "COMPLETED/S", "completedPerSecond", line -> line.rate(line.work().completed())),
          Column.right("FAILED/S", "failedPerSecond", line -> line.rate(line.work().failed())),
          Column.right("RETRIED/S", "retriedPerSecond", line -> line.rate(line.work().retried())),
          Column.right(
              "HANDLING MS", "handlingMillis95", line -> line.millis(line.work().handling())),
          Column.right("PICKUP MS", "pickupMillis95", line -> line.millis(line.work().pickup())));

  private static final List<Column<Line>> COLUMNS = columns();

  @Mixin private final JsonOptions json = new JsonOptions();

  @Option(
      names = "--once",
      description = "Show the counts once, then exit; for scripts. --json implies it.")
  private boolean once;

  TopCommand(CommandIo io) {
    super(io);
  }

  private static List<Column<Line>> columns() {
    List<Column<Line>> columns = new ArrayList<>();
    StatusCommand.TOPIC.forEach(column -> columns.add(column.of(Line::status)));
    columns.addAll(WORK);
    return List.copyOf(columns);
  }

  @Override
  public Integer call() throws InterruptedException {
    Transactions queue = queue();
    if (once || json.requested()) {
      return show(json, () -> table(read(queue)), root -> fill(root, read(queue)));
    }
    while (true) {
      show(CLEAR + table(read(queue)));
      Thread.sleep(EVERY.toMillis());
    }
  }

  /**
   * What is shown at once.
   *
   * @param workers live workers
   * @param claiming those that are neither paused nor draining
   */
  record Reading(List<Line> lines, long workers, long claiming) {}

  private static Reading read(Transactions queue) {
    QueueStatus status = new StatusReader(queue).read(QueueCounts.MOST);
    return new Reading(
        lines(queue, status),
        status.workers().stream().filter(ListedWorker::isAlive).count(),
        status.workers().stream().filter(ListedWorker::isClaiming).count());
  }

  /** The topics of {@code status}, with what workers did in the minutes before it was read. */
  static List<Line> lines(Transactions queue, QueueStatus status) {
    List<Row> rows = new Statistics(queue).read(Period.MINUTE, status.at().minus(SPAN));
    long minutes = rows.stream().map(Row::startsAt).distinct().count();
    Map<String, List<Row>> byTopic = rows.stream().collect(Collectors.groupingBy(Row::topic));
    return status.topics().stream()
        .map(topic -> line(topic, byTopic.getOrDefault(topic.topic(), List.of()), minutes))
        .toList();
  }

  /** The rate of enqueues is the mean of the minutes in which it is known. */
  static Line line(TopicStatus topic, List<Row> rows, long minutes) {
    WorkCounts work = rows.stream().map(Row::work).reduce(WorkCounts.none(), WorkCounts::plus);
    OptionalDouble enqueued =
        rows.stream()
            .map(Row::enqueued)
            .filter(Objects::nonNull)
            .mapToLong(Long::longValue)
            .average();
    return new Line(topic, work, minutes, enqueued.isEmpty() ? null : enqueued.getAsDouble());
  }

  static String table(Reading reading) {
    List<Line> lines = reading.lines();
    String table =
        "%s\n\nLive workers: %d%s"
            .formatted(
                Column.table(lines, COLUMNS, "No messages, no dead letters."),
                reading.workers(),
                reading.claiming() == reading.workers()
                    ? ""
                    : "; %d of them paused or draining, claiming nothing"
                        .formatted(reading.workers() - reading.claiming()));
    return lines.stream().map(Line::status).anyMatch(TopCommand::isCut)
        ? table + "\n\nCounts of %d are lower bounds.".formatted(QueueCounts.MOST)
        : table;
  }

  private static boolean isCut(TopicStatus topic) {
    return LongStream.of(
            topic.available(),
            topic.scheduled(),
            topic.blocked(),
            topic.inFlight(),
            topic.deadLetters())
        .anyMatch(count -> count >= QueueCounts.MOST);
  }

  static void fill(ObjectNode root, Reading reading) {
    root.put("countsStopAt", QueueCounts.MOST);
    root.put("liveWorkers", reading.workers());
    root.put("claimingWorkers", reading.claiming());
    root.set("topics", Column.nodes(reading.lines(), COLUMNS));
  }
}
