package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.QueueException;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.WorkerThreads;
import io.rowqueue.worker.internal.doctor.Doctor;
import io.rowqueue.worker.internal.doctor.DoctorSettings;
import io.rowqueue.worker.internal.doctor.Finding;
import io.rowqueue.worker.internal.doctor.Severity;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Shows what {@code queue-worker doctor} finds with the dashboard's account, and the remedies. */
@Singleton
class DoctorPages {

  /** No check begins later than this after the first. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private final DashboardPool pool;
  private final ShownQueue queue;
  private final DoctorSettings settings;
  private final DoctorRuns runs;
  private final Views views;

  @Inject
  DoctorPages(
      DashboardPool pool,
      ShownQueue queue,
      DashboardConfig dashboard,
      WorkerConfig worker,
      WorkerThreads threads,
      Views views) {
    this.pool = pool;
    this.queue = queue;
    DoctorSettings usual =
        DoctorSettings.defaults()
            .withRole(dashboard.database() == null ? Role.WORKER : Role.OPERATOR);
    this.settings =
        queue.isOwn() ? usual.withThreads(worker.threads()).withLimits(worker.limits()) : usual;
    this.runs =
        new DoctorRuns(this::examine, work -> threads.start("doctor", work), System::nanoTime);
    this.views = views;
  }

  private List<Finding> examine() {
    try {
      return pool.doctor(settings).examine(LONGEST);
    } catch (QueueException e) {
      return List.of(
          new Finding(
              "connection",
              Severity.PROBLEM,
              String.valueOf(e.getMessage()),
              "Check that the database is reachable from this worker."));
    }
  }

  /** The findings about a part of the deployment, the worst first. */
  record Part(String name, String id, List<Line> findings) {

    /** Returns whether one of them has a remedy. */
    boolean advised() {
      return findings.stream().anyMatch(Line::advised);
    }

    /** The parts with the worst findings come first. */
    static List<Part> of(List<Finding> findings) {
      return findings.stream()
          .sorted(Comparator.comparing(Finding::severity).reversed())
          .collect(
              Collectors.groupingBy(
                  Doctor::part,
                  LinkedHashMap::new,
                  Collectors.mapping(Line::of, Collectors.toList())))
          .entrySet()
          .stream()
          .map(
              part ->
                  new Part(part.getKey(), part.getKey().toLowerCase(Locale.ROOT), part.getValue()))
          .toList();
    }
  }

  /** A piece of a text; what is between backticks is code. */
  record Piece(String text, boolean code) {

    static List<Piece> of(String text) {
      String[] pieces = Texts.visible(text).split("`", -1);
      return IntStream.range(0, pieces.length)
          .mapToObj(i -> new Piece(pieces[i], i % 2 == 1))
          .toList();
    }
  }

  /** A finding. */
  record Line(String subject, String severity, String tone, List<Piece> found, List<Piece> advice) {

    static Line of(Finding finding) {
      return new Line(
          finding.subject(),
          finding.severity().name().toLowerCase(Locale.ROOT),
          toneOf(finding.severity()),
          Piece.of(finding.found()),
          Piece.of(finding.advice()));
    }

    private boolean advised() {
      return !advice.get(0).text().isEmpty();
    }
  }

  private static String toneOf(Severity severity) {
    return switch (severity) {
      case PROBLEM -> "bad";
      case WARNING -> "warn";
      case OK, UNKNOWN -> "";
    };
  }

  Reply show(Call call) {
    DoctorRuns.State state = runs.read();
    DoctorRuns.Result last = state.last();
    Map<String, Object> model = new HashMap<>();
    model.put("running", state.running());
    model.put("known", last != null);
    model.put("queue", queue.name());
    model.put("location", queue.location());
    model.put("own", queue.isOwn());
    if (last != null) {
      model.put("parts", Part.of(last.findings()));
      model.put("summary", summary(last.findings()));
      model.put("at", Texts.Moment.of(last.at()));
      model.put("took", Texts.number(last.took().toMillis()));
    }
    return views.show(call, new Views.Page("Doctor", "doctor", true, model));
  }

  /** The last run in short, for the overview. */
  record Summary(String text, String tone, Texts.Moment at) {}

  /**
   * Returns the last run at once, and starts another in the background if that is older than five
   * minutes; null before the first.
   */
  @Nullable Summary glance() {
    DoctorRuns.Result last = runs.glance();
    if (last == null) {
      return null;
    }
    Severity worst =
        last.findings().stream()
            .map(Finding::severity)
            .max(Comparator.naturalOrder())
            .orElse(Severity.OK);
    String found =
        Stream.of(Severity.PROBLEM, Severity.WARNING)
            .filter(severity -> count(last.findings(), severity) > 0)
            .map(severity -> counted(last.findings(), severity))
            .collect(Collectors.joining(", "));
    return new Summary(
        found.isEmpty() ? "no problems" : found,
        toneOf(worst),
        Texts.Moment.of(last.at(), Instant.now()));
  }

  private static String summary(List<Finding> findings) {
    return "%s, %s, %d not checked, %d ok"
        .formatted(
            counted(findings, Severity.PROBLEM),
            counted(findings, Severity.WARNING),
            count(findings, Severity.UNKNOWN),
            count(findings, Severity.OK));
  }

  /** Such as {@code 2 warnings}. */
  private static String counted(List<Finding> findings, Severity severity) {
    long count = count(findings, severity);
    return "%d %s%s"
        .formatted(count, severity.name().toLowerCase(Locale.ROOT), count == 1 ? "" : "s");
  }

  private static long count(List<Finding> findings, Severity severity) {
    return findings.stream().filter(finding -> finding.severity() == severity).count();
  }
}
