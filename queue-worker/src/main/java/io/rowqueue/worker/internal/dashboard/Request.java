package io.rowqueue.worker.internal.dashboard;

import com.sun.net.httpserver.HttpExchange;
import io.rowqueue.worker.Credentials.Login;
import java.io.InputStream;
import java.net.URI;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A request, whichever server received it.
 *
 * @param uri with the dashboard's path
 * @param headers the values of a header by its name; empty if there is none
 * @param origin what the server knows of its own origin from a proxy that does not keep Host, as
 *     {@code https://host:443}; null if it knows only the Host header
 * @param address the client's address
 * @param login the user whom the server has authenticated; null if that is left to the dashboard
 */
public record Request(
    String method,
    URI uri,
    Function<String, List<String>> headers,
    InputStream body,
    @Nullable String origin,
    String address,
    @Nullable Login login) {

  static Request of(HttpExchange exchange) {
    return new Request(
        exchange.getRequestMethod(),
        exchange.getRequestURI(),
        name -> exchange.getRequestHeaders().getOrDefault(name, List.of()),
        exchange.getRequestBody(),
        null,
        exchange.getRemoteAddress().getAddress().getHostAddress(),
        null);
  }

  @Nullable String header(String name) {
    return headers(name).stream().findFirst().orElse(null);
  }

  List<String> headers(String name) {
    return headers.apply(name);
  }
}
