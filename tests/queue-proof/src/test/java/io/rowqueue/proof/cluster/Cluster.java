package io.rowqueue.proof.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Three servers on this machine, by scripts that are given: {@code mysql-cluster} and {@code
 * galera-cluster}, which start and stop them, kill one, start it again, and switch the primary.
 * They are too slow and too dear for every build, so a test that needs them runs only where the
 * system property {@link #SCRIPTS} names their directory.
 */
final class Cluster implements AutoCloseable {

  /** The system property that names the directory of the scripts. */
  static final String SCRIPTS = "rowqueue.test.clusters";

  /** Where the servers keep their data; by default below {@code target}. */
  private static final String DATA = "rowqueue.test.clusters.data";

  static final int NODES = 3;

  private static final Pattern HOSTS = Pattern.compile("//([^/]+)/([^?]*)(.*)");

  private final Kind kind;
  private final Path data;
  private final String url;

  private Cluster(Kind kind, Path data, String url) {
    this.kind = kind;
    this.data = data;
    this.url = url;
  }

  /** Starts one, or mends one that is half down. */
  static Cluster start(Kind kind) {
    Path data =
        Path.of(System.getProperty(DATA, "target/clusters")).toAbsolutePath().resolve(kind.folder);
    List<String> arguments =
        new ArrayList<>(List.of("start", Integer.toString(kind.basePort), data.toString()));
    Optional.of(kind.option).filter(option -> !option.isEmpty()).ifPresent(arguments::add);
    return new Cluster(kind, data, run(kind, arguments.toArray(String[]::new)).strip());
  }

  /** With all nodes, and the account. */
  String url() {
    return url;
  }

  /** The same, but with node {@code first} (1 to 3) before the others. */
  String urlFrom(int first) {
    return withHosts(
        IntStream.range(0, NODES)
            .mapToObj(i -> host((first - 1 + i) % NODES + 1))
            .reduce((one, other) -> one + "," + other)
            .orElseThrow());
  }

  /** Of node {@code node} alone. */
  String urlOf(int node) {
    return withHosts(host(node));
  }

  private String host(int node) {
    return parts().group(1).split(",", -1)[node - 1];
  }

  private String withHosts(String hosts) {
    return url.replace(parts().group(1), hosts);
  }

  private Matcher parts() {
    Matcher parts = HOSTS.matcher(url);
    if (!parts.find()) {
      throw new IllegalStateException("the script printed no URL: " + url);
    }
    return parts;
  }

  void kill(int node) {
    run(kind, "kill", data.toString(), Integer.toString(node));
  }

  void restart(int node) {
    run(kind, "restart", data.toString(), Integer.toString(node));
  }

  void switchTo(int node) {
    run(kind, "switch", data.toString(), Integer.toString(node));
  }

  @Override
  public void close() {
    run(kind, "stop", data.toString());
  }

  private static String run(Kind kind, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty(SCRIPTS), kind.script).toString());
    command.addAll(List.of(arguments));
    try {
      Path errors = Files.createTempFile(kind.script, ".log");
      ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
      builder.environment().putIfAbsent("MYSQLD_OPTS", kind.serverOptions);
      Process process = builder.start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0) {
        throw new IllegalStateException(command + " failed: " + Files.readString(errors));
      }
      return output;
    } catch (IOException e) {
      throw new IllegalStateException(command + " failed", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Which servers, and how they share the writes. */
  enum Kind {
    GROUP_REPLICATION(
        "mysql-cluster", "gr", 14_100, "", "--group-replication-member-expel-timeout=0"),
    GROUP_REPLICATION_MULTI_PRIMARY(
        "mysql-cluster",
        "gr-multi",
        14_100,
        "--multi-primary",
        "--group-replication-member-expel-timeout=0"),
    GALERA("galera-cluster", "galera", 14_200, "", "");

    private final String script;
    private final String folder;
    private final int basePort;
    private final String option;
    private final String serverOptions;

    Kind(String script, String folder, int basePort, String option, String serverOptions) {
      this.script = script;
      this.folder = folder;
      this.basePort = basePort;
      this.option = option;
      this.serverOptions = serverOptions;
    }
  }
}
