package io.rowqueue.worker.internal;

import com.mysql.cj.conf.PropertyKey;
import com.mysql.cj.conf.PropertySet;
import com.mysql.cj.protocol.StandardSocketFactory;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketOption;
import java.util.Map;
import jdk.net.ExtendedSocketOptions;

/**
 * Sockets of the driver that send keep-alive packets after 20 idle seconds; systems usually wait
 * two hours, and firewalls and load balancers forget an idle connection after minutes. Its packets
 * are then dropped, and a COMMIT behind a handler that did not use its connection waits for the
 * socket timeout. Not in effect with {@code tcpKeepAlive=false}.
 *
 * <p>Public for the driver, which creates it by name.
 */
public final class KeepAliveSocketFactory extends StandardSocketFactory {

  /** Seconds before the first packet and between unanswered ones, and how many end a connection. */
  static final Map<SocketOption<Integer>, Integer> OPTIONS =
      Map.of(
          ExtendedSocketOptions.TCP_KEEPIDLE,
          20,
          ExtendedSocketOptions.TCP_KEEPINTERVAL,
          5,
          ExtendedSocketOptions.TCP_KEEPCOUNT,
          4);

  @Override
  protected void configureSocket(Socket socket, PropertySet properties) throws IOException {
    super.configureSocket(socket, properties);
    if (Boolean.TRUE.equals(properties.getBooleanProperty(PropertyKey.tcpKeepAlive).getValue())) {
      for (Map.Entry<SocketOption<Integer>, Integer> option : OPTIONS.entrySet()) {
        if (socket.supportedOptions().contains(option.getKey())) {
          socket.setOption(option.getKey(), option.getValue());
        }
      }
    }
  }
}
