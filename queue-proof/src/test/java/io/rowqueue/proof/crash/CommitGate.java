package io.rowqueue.proof.crash;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a process and its server and reads along. Once armed, it forwards the next COMMIT,
 * waits for the server's answer and keeps it: the transaction is committed, and its process does
 * not know. Needs connections without TLS.
 */
final class CommitGate implements AutoCloseable {

  private static final int COM_QUERY = 3;
  private static final int LONGEST_COMMIT = 16;

  private final ServerSocket listener;
  private final String host;
  private final int port;
  private final AtomicReference<@Nullable Wire> held = new AtomicReference<>();
  private final CompletableFuture<Void> answered = new CompletableFuture<>();
  private volatile boolean armed;
  private volatile boolean swallows;
  private volatile boolean cuts;

  /** In front of the server of {@code url}. */
  static CommitGate of(String url) throws IOException {
    URI server = URI.create(url.substring("jdbc:".length()));
    return new CommitGate(server.getHost(), server.getPort());
  }

  /** {@code url}, with this in the server's place. */
  String through(String url) {
    return url.replace(":" + port + "/", ":" + port() + "/")
        + "&sslMode=DISABLED&allowPublicKeyRetrieval=true";
  }

  private CommitGate(String host, int port) throws IOException {
    this.host = host;
    this.port = port;
    this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    daemon("accept", this::accept);
  }

  private int port() {
    return listener.getLocalPort();
  }

  /** From here on the next COMMIT's answer is kept. */
  void arm() {
    armed = true;
  }

  /** From here on the next COMMIT is not forwarded, and its connection is cut. */
  void armToSwallow() {
    swallows = true;
    armed = true;
  }

  /** From here on the next COMMIT is forwarded, and its connection is cut instead of an answer. */
  void armToCut() {
    cuts = true;
    armed = true;
  }

  /** Cuts the connection whose answer is kept. */
  void cut() {
    Wire wire = held.get();
    if (wire != null) {
      try {
        wire.client.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Completes when the server has answered the COMMIT. */
  CompletableFuture<Void> answered() {
    return answered;
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }

  private void accept() throws IOException {
    while (true) {
      Wire wire = new Wire(listener.accept(), new Socket(host, port));
      daemon("to-server", wire::toServer);
      daemon("to-client", wire::toClient);
    }
  }

  private static void daemon(String name, Pump pump) {
    Thread thread =
        new Thread(
            () -> {
              try {
                pump.run();
              } catch (IOException e) {
                // One side is gone; the other was closed with it.
                Thread.currentThread().interrupt();
              }
            },
            "commit-gate-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  private interface Pump {
    void run() throws IOException;
  }

  /** One connection. */
  private final class Wire {
    private final Socket client;
    private final Socket server;

    Wire(Socket client, Socket server) {
      this.client = client;
      this.server = server;
    }

    /** Packet by packet: three bytes of length, one of sequence. */
    void toServer() throws IOException {
      try (client;
          server) {
        DataInputStream in = new DataInputStream(client.getInputStream());
        OutputStream out = server.getOutputStream();
        byte[] header = new byte[4];
        while (true) {
          in.readFully(header);
          int length = (header[0] & 255) | (header[1] & 255) << 8 | (header[2] & 255) << 16;
          byte[] packet = new byte[4 + length];
          System.arraycopy(header, 0, packet, 0, 4);
          in.readFully(packet, 4, length);
          if (armed && isCommit(packet) && held.compareAndSet(null, this) && swallows) {
            return;
          }
          out.write(packet);
        }
      }
    }

    void toClient() throws IOException {
      try (client;
          server) {
        InputStream in = server.getInputStream();
        OutputStream out = client.getOutputStream();
        byte[] buffer = new byte[8192];
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
          if (held.get() == this) {
            answered.complete(null);
            if (cuts) {
              return;
            }
          } else {
            out.write(buffer, 0, length);
          }
        }
      }
    }

    /** The text stands at the end; before it, newer servers are told of query attributes. */
    private static boolean isCommit(byte[] packet) {
      return packet.length > 4
          && packet.length <= 4 + LONGEST_COMMIT
          && packet[4] == COM_QUERY
          && new String(packet, StandardCharsets.ISO_8859_1)
              .toUpperCase(Locale.ROOT)
              .endsWith("COMMIT");
    }
  }
}
