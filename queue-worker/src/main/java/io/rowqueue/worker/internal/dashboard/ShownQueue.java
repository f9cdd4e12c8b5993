package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.WorkerConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The queue that a dashboard shows, among those that its pages link to. Immutable. */
@Singleton
final class ShownQueue {

  /** The worker's own queue, if its schema gives it no name. */
  private static final String UNNAMED = "this worker";

  private static final Pattern SCHEMA = Pattern.compile(".*/([^/()]+)");

  private final String name;
  private final String location;

  /** The paths of the queues with which links begin, by name; the worker's own is the first. */
  private final Map<String, String> bases;

  /** The worker's own queue. */
  @Inject
  ShownQueue(DashboardConfig config, WorkerConfig worker) {
    location = worker.database().location();
    name = own(location, config.queues().keySet());
    String base = config.basePath() + config.path();
    bases = new LinkedHashMap<>();
    bases.put(name, base);
    config.queues().keySet().forEach(one -> bases.put(one, base + below(one)));
  }

  private ShownQueue(String name, String location, Map<String, String> bases) {
    this.name = name;
    this.location = location;
    this.bases = bases;
  }

  private static String own(String location, Set<String> taken) {
    Matcher schema = SCHEMA.matcher(location);
    return schema.matches() && !taken.contains(schema.group(1))
        ? Texts.visible(schema.group(1))
        : UNNAMED;
  }

  /** Returns the path of a further queue below the dashboard's. */
  static String below(String name) {
    return "/q/" + name;
  }

  /** Returns a further queue, with the same links. */
  ShownQueue further(String other, DatabaseConfig database) {
    return new ShownQueue(other, database.location(), bases);
  }

  /** Returns its name; null if it is the only queue. */
  @Nullable String name() {
    return bases.size() == 1 ? null : name;
  }

  /** Returns its hosts and schema. */
  String location() {
    return location;
  }

  /** Returns whether it is the worker's own. */
  boolean isOwn() {
    return base().equals(root());
  }

  /** Returns the path with which links to its pages begin. */
  String base() {
    return bases.getOrDefault(name, root());
  }

  /** Returns the path of the worker's own queue, below which all are. */
  String root() {
    return bases.values().iterator().next();
  }

  /** A link to a queue. */
  record Link(String name, String href, boolean here) {}

  /** Returns links to the page {@code path} of each queue; none if there is one queue only. */
  List<Link> links(String path) {
    return bases.size() == 1
        ? List.of()
        : bases.entrySet().stream()
            .map(one -> new Link(one.getKey(), one.getValue() + path, one.getKey().equals(name)))
            .toList();
  }
}
