package io.rowqueue.proof.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A wire between a process and its server that can be frozen: nothing goes through any more, and
 * neither side is told, as when a cable is pulled. Thread-safe.
 */
final class FrozenWire implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(FrozenWire.class);

  private final ServerSocket listener;
  private final String host;
  private final int port;
  private final List<Socket> sockets = new ArrayList<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile boolean frozen;

  /** In front of the server of {@code url}. */
  static FrozenWire of(String url) throws IOException {
    URI server = URI.create(url.substring("jdbc:".length()));
    return new FrozenWire(server.getHost(), server.getPort());
  }

  private FrozenWire(String host, int port) throws IOException {
    this.host = host;
    this.port = port;
    this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    daemon(this::accept);
  }

  /** {@code url}, with this in the server's place. */
  String through(String url) {
    return url.replace(":" + port + "/", ":" + listener.getLocalPort() + "/");
  }

  /** From here on nothing goes through, and nobody is told. */
  void freeze() {
    frozen = true;
  }

  @Override
  public void close() throws IOException {
    closed.countDown();
    listener.close();
    for (Socket socket : opened()) {
      socket.close();
    }
  }

  private synchronized List<Socket> opened() {
    return List.copyOf(sockets);
  }

  private synchronized Socket opened(Socket socket) throws IOException {
    socket.setTcpNoDelay(true);
    sockets.add(socket);
    return socket;
  }

  private void accept() throws IOException {
    while (closed.getCount() > 0) {
      Socket client = opened(listener.accept());
      if (frozen) {
        // As if the server had never heard of it.
        continue;
      }
      Socket server = opened(new Socket(host, port));
      daemon(() -> carry(client, server));
      daemon(() -> carry(server, client));
    }
  }

  private void carry(Socket from, Socket to) throws IOException {
    InputStream in = from.getInputStream();
    OutputStream out = to.getOutputStream();
    byte[] buffer = new byte[64 << 10];
    for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
      if (frozen) {
        return;
      }
      out.write(buffer, 0, length);
    }
    if (!frozen) {
      to.close();
    }
  }

  private void daemon(Carrier carrier) {
    Thread thread =
        new Thread(
            () -> {
              try {
                carrier.run();
              } catch (IOException e) {
                LOG.debug("one side is gone, and whoever reads from it closes the other", e);
              }
            },
            "wire");
    thread.setDaemon(true);
    thread.start();
  }

  private interface Carrier {
    void run() throws IOException;
  }
}
