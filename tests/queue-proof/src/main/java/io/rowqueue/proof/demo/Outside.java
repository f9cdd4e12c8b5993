package io.rowqueue.proof.demo;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import jakarta.mail.MessagingException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The world outside the shop: its mail server, and a partner that takes webhooks. */
final class Outside implements AutoCloseable {

  private final GreenMail mail;
  private final HttpServer partner;
  private final ExecutorService partnersThreads = Executors.newCachedThreadPool();
  private final AtomicInteger atOnce = new AtomicInteger();
  private final AtomicInteger mostAtOnce = new AtomicInteger();
  private final ConcurrentLinkedQueue<String> posts = new ConcurrentLinkedQueue<>();

  private Outside(GreenMail mail, HttpServer partner) {
    this.mail = mail;
    this.partner = partner;
    partner.setExecutor(partnersThreads);
    partner.createContext("/", this::take);
  }

  static Outside start() throws IOException {
    GreenMail mail = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
    mail.start();
    HttpServer partner =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    Outside outside = new Outside(mail, partner);
    partner.start();
    return outside;
  }

  int smtpPort() {
    return mail.getSmtp().getPort();
  }

  String partnerUrl() {
    return "http://127.0.0.1:" + partner.getAddress().getPort() + "/orders";
  }

  private void take(HttpExchange exchange) throws IOException {
    mostAtOnce.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
    exchange.getRequestBody().readAllBytes();
    posts.add(String.valueOf(exchange.getRequestHeaders().getFirst("Idempotency-Key")));
    atOnce.decrementAndGet();
    exchange.sendResponseHeaders(204, -1);
    exchange.close();
  }

  /** How many webhooks the partner was at work on together, at the most. */
  int mostPostsAtOnce() {
    return mostAtOnce.get();
  }

  /** The keys of the webhooks that came, one a call; whoever repeats a call repeats its key. */
  List<String> posts() {
    return List.copyOf(posts);
  }

  /** The Message-IDs of the mails that came; whoever repeats a mail repeats its id. */
  List<String> mails() {
    return Arrays.stream(mail.getReceivedMessages())
        .map(
            message -> {
              try {
                return String.valueOf(message.getHeader("Message-ID")[0]);
              } catch (MessagingException e) {
                throw new IllegalStateException(e);
              }
            })
        .toList();
  }

  @Override
  public void close() {
    partner.stop(0);
    partnersThreads.shutdownNow();
    mail.stop();
  }
}
