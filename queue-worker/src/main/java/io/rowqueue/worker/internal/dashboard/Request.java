package io.rowqueue.worker.internal.dashboard;

import com.sun.net.httpserver.HttpExchange;
import java.io.InputStream;
import java.net.URI;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request, whichever server received it.
 *
 * @param uri with the dashboard's path
 * @param header the first value of each header; null if there is none
 * @param address the client's address
 * @param user the user whom the server has authenticated; null if that is left to the dashboard
 */
public record Request(
    String method,
    URI uri,
    Function<String, @Nullable String> header,
    InputStream body,
    String address,
    @Nullable String user) {

  static Request of(HttpExchange exchange) {
    return new Request(
        exchange.getRequestMethod(),
        exchange.getRequestURI(),
        exchange.getRequestHeaders()::getFirst,
        exchange.getRequestBody(),
        exchange.getRemoteAddress().getAddress().getHostAddress(),
        null);
  }

  @Nullable String header(String name) {
    return header.apply(name);
  }
}
