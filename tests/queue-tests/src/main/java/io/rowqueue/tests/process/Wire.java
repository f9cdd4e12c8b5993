package io.rowqueue.tests.process;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stands between a process and its database server, and can do to their connections what networks
 * do. It reads the client's packets, so the connections must not be encrypted. Thread-safe.
 */
public final class Wire implements AutoCloseable {

  /** What becomes of a COMMIT that the wire loses. */
  public enum Loss {
    /** It never reaches the server, which rolls back. */
    BEFORE_THE_SERVER,
    /** The server commits, and the connection is cut instead of an answer. */
    BEFORE_THE_CLIENT,
    /** The server commits, and the client waits for the answer until {@link Wire#cutHeld}. */
    HELD_BACK
  }

  private static final Logger LOG = LoggerFactory.getLogger(Wire.class);
  private static final int COM_QUERY = 3;
  private static final int LONGEST_COMMIT = 16;

  private final ServerSocket listener;
  private final String host;
  private final int port;
  private final List<Link> links = new CopyOnWriteArrayList<>();
  private final AtomicReference<@Nullable CancelRequest> request = new AtomicReference<>();
  private final Object thawed = new Object();
  private volatile CompletableFuture<Void> lost = new CompletableFuture<>();
  private volatile boolean frozen;
  private volatile boolean shut;
  private volatile boolean knocked;
  private volatile boolean closed;
  private volatile long delayNanos;

  private Wire(URI server, InetAddress here) throws IOException {
    this.host = server.getHost();
    this.port = server.getPort();
    this.listener = new ServerSocket(0, 200, here);
    daemon(this::accept);
  }

  /** In front of the server of {@code url}, {@code jdbc:mysql://host:port/...}. */
  public static Wire to(String url) throws IOException {
    return to(url, InetAddress.getLoopbackAddress());
  }

  /** The same, for clients that reach this host at {@code here}. */
  public static Wire to(String url, InetAddress here) throws IOException {
    return new Wire(URI.create(url.substring("jdbc:".length())), here);
  }

  /** {@code url}, with this in the server's place and without encryption. */
  public String through(String url) {
    String here =
        url.replace(
            "//" + host + ":" + port + "/",
            "//%s:%d/"
                .formatted(listener.getInetAddress().getHostAddress(), listener.getLocalPort()));
    return here
        + (here.contains("?") ? "&" : "?")
        + "sslMode=DISABLED&allowPublicKeyRetrieval=true";
  }

  /** Cuts every connection; both sides are told. New ones may come at once. */
  public void cut() {
    links.forEach(Link::close);
  }

  /** From here on nothing goes through, and nobody is told, until {@link #thaw}. */
  public void freeze() {
    frozen = true;
  }

  /** What was held up goes on. */
  public void thaw() {
    synchronized (thawed) {
      frozen = false;
      thawed.notifyAll();
    }
  }

  /** From here on new connections wait at the door, and nobody is told, until {@link #open}. */
  public void shut() {
    shut = true;
  }

  /** Whether somebody waits at the door. */
  public boolean isKnockedAt() {
    return knocked;
  }

  /** Whoever waits at the door comes in. */
  public void open() {
    synchronized (thawed) {
      shut = false;
      thawed.notifyAll();
    }
  }

  /**
   * Half open: the server sees every connection of now end, and the client is never told; its side
   * stays open and silent. New connections are whole.
   */
  public void forgetClients() {
    links.forEach(Link::forgetClient);
  }

  /** From here on each packet of the client and each answer waits for so long; zero ends it. */
  public void delay(Duration each) {
    delayNanos = each.toNanos();
  }

  /** The next COMMIT on any connection is lost, instead of one that was to be lost before. */
  public void loseNextCommit(Loss how) {
    lost = new CompletableFuture<>();
    request.set(new CancelRequest(how, lost, Link::isCommit));
  }

  /**
   * Like {@link #loseNextCommit}, for a statement that commits by itself and contains {@code sql}.
   */
  public void loseNext(String sql, Loss how) {
    lost = new CompletableFuture<>();
    request.set(
        new CancelRequest(
            how,
            lost,
            packet -> packet.length > 4 && packet[4] == COM_QUERY && text(packet).contains(sql)));
  }

  private static String text(byte[] packet) {
    return new String(packet, StandardCharsets.ISO_8859_1);
  }

  /** Takes that back. */
  public void keepCommits() {
    request.set(null);
  }

  /** Completes when a COMMIT was lost: the server has answered it, or will never be asked. */
  public CompletableFuture<Void> lost() {
    return lost.copy();
  }

  /** Cuts the connections whose answers are held back. */
  public void cutHeld() {
    links.stream().filter(Link::isHeldBack).forEach(Link::close);
  }

  @Override
  public void close() throws IOException {
    closed = true;
    listener.close();
    open();
    thaw();
    cut();
  }

  private void accept() throws IOException {
    while (!closed) {
      Socket client = listener.accept();
      knocked = frozen || shut;
      await(() -> frozen || shut);
      knocked = false;
      link(client);
    }
  }

  /** A server that is down costs this client its connection, and the wire nothing. */
  private void link(Socket client) throws IOException {
    Link link;
    try {
      link = new Link(client, new Socket(host, port));
    } catch (IOException e) {
      LOG.debug("nothing answers behind the wire", e);
      client.close();
      return;
    }
    links.add(link);
    daemon(link::toServer);
    daemon(link::toClient);
  }

  private void await(BooleanSupplier hindrance) {
    synchronized (thawed) {
      while (hindrance.getAsBoolean() && !closed) {
        try {
          thawed.wait();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }

  private void hold() {
    if (frozen) {
      await(() -> frozen);
    }
    if (delayNanos > 0) {
      LockSupport.parkNanos(delayNanos);
    }
  }

  private static void daemon(Carrier carrier) {
    Thread thread =
        new Thread(
            () -> {
              try {
                carrier.run();
              } catch (IOException e) {
                LOG.debug("one side is gone, and the other was closed with it", e);
              }
            },
            "wire");
    thread.setDaemon(true);
    thread.start();
  }

  private interface Carrier {
    void run() throws IOException;
  }

  private record CancelRequest(
      Loss how, CompletableFuture<Void> met, Predicate<byte[]> statement) {}

  private final class Link {

    private final Socket client;
    private final Socket server;
    private volatile @Nullable CancelRequest mine;
    private volatile boolean clientForgotten;

    Link(Socket client, Socket server) throws IOException {
      this.client = client;
      this.server = server;
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
    }

    void close() {
      links.remove(this);
      close(client);
      close(server);
    }

    private static void close(Socket side) {
      try {
        side.close();
      } catch (IOException e) {
        LOG.debug("a socket does not close", e);
      }
    }

    void forgetClient() {
      clientForgotten = true;
      close(server);
    }

    /** Packet by packet: three bytes of length, one of sequence. */
    void toServer() throws IOException {
      try {
        DataInputStream in = new DataInputStream(client.getInputStream());
        OutputStream out = server.getOutputStream();
        byte[] header = new byte[4];
        while (true) {
          in.readFully(header);
          int length = (header[0] & 255) | (header[1] & 255) << 8 | (header[2] & 255) << 16;
          byte[] packet = new byte[4 + length];
          System.arraycopy(header, 0, packet, 0, 4);
          in.readFully(packet, 4, length);
          hold();
          if (!clientForgotten) {
            if (losesIt(packet)) {
              return;
            }
            out.write(packet);
          }
        }
      } finally {
        close();
      }
    }

    boolean isHeldBack() {
      CancelRequest requested = mine;
      return requested != null && requested.how == Loss.HELD_BACK;
    }

    private boolean losesIt(byte[] packet) {
      CancelRequest requested = request.get();
      if (requested == null
          || !requested.statement.test(packet)
          || !request.compareAndSet(requested, null)) {
        return false;
      }
      mine = requested;
      if (requested.how != Loss.BEFORE_THE_SERVER) {
        return false;
      }
      requested.met.complete(null);
      return true;
    }

    void toClient() throws IOException {
      try {
        InputStream in = server.getInputStream();
        OutputStream out = client.getOutputStream();
        byte[] buffer = new byte[16 << 10];
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
          hold();
          CancelRequest requested = mine;
          if (requested == null) {
            out.write(buffer, 0, length);
          } else {
            requested.met.complete(null);
            if (requested.how == Loss.BEFORE_THE_CLIENT) {
              return;
            }
          }
        }
      } finally {
        if (!clientForgotten) {
          close();
        }
      }
    }

    /** The text stands at the end; before it, newer servers are told of query attributes. */
    private static boolean isCommit(byte[] packet) {
      return packet.length > 4
          && packet.length <= 4 + LONGEST_COMMIT
          && packet[4] == COM_QUERY
          && text(packet).toUpperCase(Locale.ROOT).endsWith("COMMIT");
    }
  }
}
