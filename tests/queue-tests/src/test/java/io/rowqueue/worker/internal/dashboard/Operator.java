package io.rowqueue.worker.internal.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A user of a browser without JavaScript: keeps the cookies, and sends the forms that he was shown.
 */
final class Operator {

  private static final Pattern TOKEN = Pattern.compile("name=\"csrf\" value=\"([\\w-]+)\"");

  private final HttpClient client =
      HttpClient.newBuilder().followRedirects(HttpClient.Redirect.NEVER).build();
  private final String base;
  private final List<String> headers = new ArrayList<>();
  private final Map<String, String> cookies = new LinkedHashMap<>();

  Operator(int port) {
    this.base = "http://127.0.0.1:" + port;
  }

  Operator with(String name, String value) {
    headers.addAll(List.of(name, value));
    return this;
  }

  HttpResponse<String> get(String path) {
    return send(request(path).GET());
  }

  HttpResponse<String> head(String path) {
    return send(request(path).method("HEAD", BodyPublishers.noBody()));
  }

  HttpResponse<String> method(String name, String path) {
    return send(request(path).method(name, BodyPublishers.noBody()));
  }

  String page(String path) {
    HttpResponse<String> answer = get(path);
    assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isEqualTo(200);
    return answer.body();
  }

  String token(String page) {
    Matcher matcher = TOKEN.matcher(page(page));
    assertThat(matcher.find()).as("a form on %s", page).isTrue();
    return matcher.group(1);
  }

  HttpResponse<String> submit(String page, String path, String... fields) {
    return post(path, token(page), fields);
  }

  /** Sends a form, and looks at where that leads. */
  String done(String page, String path, String... fields) {
    HttpResponse<String> answer = submit(page, path, fields);
    assertThat(answer.statusCode()).as("%s: %s", path, answer.body()).isEqualTo(303);
    return page(answer.headers().firstValue("Location").orElseThrow());
  }

  HttpResponse<String> post(String path, @Nullable String token, String... fields) {
    StringBuilder form = new StringBuilder(token == null ? "" : "csrf=" + encoded(token));
    for (int i = 0; i < fields.length; i += 2) {
      form.append('&').append(encoded(fields[i])).append('=').append(encoded(fields[i + 1]));
    }
    return send(
        request(path)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form.toString())));
  }

  HttpResponse<String> raw(String path, String type, String body) {
    return send(request(path).header("Content-Type", type).POST(BodyPublishers.ofString(body)));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(base + path));
    if (!cookies.isEmpty()) {
      request.header("Cookie", String.join("; ", cookies.values()));
    }
    for (int i = 0; i < headers.size(); i += 2) {
      request.header(headers.get(i), headers.get(i + 1));
    }
    return request;
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      HttpResponse<String> answer = client.send(request.build(), BodyHandlers.ofString());
      answer
          .headers()
          .firstValue("Set-Cookie")
          .map(value -> value.substring(0, value.indexOf(';')))
          .ifPresent(cookie -> cookies.put(cookie.substring(0, cookie.indexOf('=')), cookie));
      return answer;
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
