package io.rowqueue.worker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Two hosts and this one on a switch of their own, as Linux makes them: each host a network
 * namespace with a cable to a bridge. They are gone with {@link #close}, or with this JVM, however
 * suddenly it ends. Needs root and the package iproute2.
 */
final class Hosts implements AutoCloseable {

  private static final Path IP = Path.of("/sbin/ip");

  /** Waits for the end of its input, and cleans up. A Ctrl-C hits it, too, and must not end it. */
  private static final String JANITOR =
      """
      trap '' INT TERM HUP
      read -r ignored
      for host in "$1a" "$1b"; do
        ip netns pids "$host" | xargs -r kill -9
        ip netns del "$host"
        ip link del "$host"
      done
      ip link del "$1"
      """;

  private final Process janitor;
  private final String network;
  private final Host first;
  private final Host second;

  private Hosts(Process janitor, String name, int number) {
    this.janitor = janitor;
    this.network = "10.231." + number + ".";
    this.first = new Host(name + "a", network + 2);
    this.second = new Host(name + "b", network + 3);
  }

  /** Why this machine can have none; null if it can. */
  static @Nullable String obstacle() {
    try {
      if (!Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
        return "it needs root, for network namespaces";
      }
      return Files.exists(IP) ? null : "it needs the command ip, of the package iproute2";
    } catch (IOException | UnsupportedOperationException e) {
      return "it needs Linux, for network namespaces";
    }
  }

  /**
   * Makes them.
   *
   * @throws IOException if a command fails, as in a container that may not do this; the message
   *     says which and why
   */
  static Hosts create() throws IOException, InterruptedException {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    // An interface's name has at most 15 characters.
    String name = "rq" + Integer.toHexString(random.nextInt(1 << 28));
    Process janitor =
        new ProcessBuilder("sh", "-c", JANITOR, "janitor", name)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    Hosts hosts = new Hosts(janitor, name, random.nextInt(256));
    boolean made = false;
    try {
      ip("link add %s type bridge".formatted(name));
      ip("addr add %s/24 dev %s".formatted(hosts.here(), name));
      ip("link set %s up".formatted(name));
      hosts.first.connect(name);
      hosts.second.connect(name);
      made = true;
    } finally {
      if (!made) {
        hosts.close();
      }
    }
    return hosts;
  }

  /** Where the hosts reach this one. */
  String here() {
    return network + 1;
  }

  Host first() {
    return first;
  }

  Host second() {
    return second;
  }

  private static void ip(String arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(IP.toString()));
    command.addAll(Arrays.asList(arguments.split(" ", -1)));
    Process ip = new ProcessBuilder(command).redirectErrorStream(true).start();
    String words = new String(ip.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    if (ip.waitFor() != 0) {
      throw new IOException("ip %s: %s".formatted(arguments, words));
    }
  }

  /** Deletes them, and ends what still runs on them. */
  @Override
  public void close() throws IOException {
    janitor.getOutputStream().close();
    try {
      if (!janitor.waitFor(30, TimeUnit.SECONDS)) {
        throw new IOException("the network of " + first + " is not gone");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * One host.
   *
   * @param name of its namespace, and of the switch's end of its cable
   */
  record Host(String name, String address) {

    private void connect(String bridge) throws IOException, InterruptedException {
      ip("netns add " + name);
      ip("link add %s type veth peer name eth0 netns %s".formatted(name, name));
      ip("link set %s master %s".formatted(name, bridge));
      ip("link set %s up".formatted(name));
      ip("-n %s addr add %s/24 dev eth0".formatted(name, address));
      ip("-n %s link set eth0 up".formatted(name));
      ip("-n %s link set lo up".formatted(name));
    }

    /** The same process, on this host. */
    ProcessBuilder run(ProcessBuilder process) {
      List<String> command = new ArrayList<>(List.of(IP.toString(), "netns", "exec", name));
      command.addAll(process.command());
      return process.command(command);
    }

    /** Pulls the cable at the switch: nothing comes or goes, and nobody is told. */
    void unplug() throws IOException, InterruptedException {
      ip("link set %s down".formatted(name));
    }

    void plug() throws IOException, InterruptedException {
      ip("link set %s up".formatted(name));
    }
  }
}
