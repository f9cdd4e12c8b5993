package io.rowqueue.example.email;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.testkit.FakeContext;
import jakarta.mail.MessagingException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SendEmailHandlerTest {

  private static final SendEmail EMAIL = new SendEmail("ada@example.org", "Grüße", "Hello — you");

  private final GreenMail server =
      new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));

  @BeforeEach
  void startServer() {
    server.start();
  }

  @AfterEach
  void stopServer() {
    server.stop();
  }

  private SendEmailHandler handler() {
    return new SendEmailHandler(
        new Mailer(new SmtpConfig("127.0.0.1", server.getSmtp().getPort(), "shop@example.org")));
  }

  @Test
  void handle_twice_sendsTheSameMessageIdWhateverTheContextClassLoader() throws Exception {
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
    try {
      handler().handle(EMAIL, FakeContext.aContext().withId(7));
      handler().handle(EMAIL, FakeContext.aContext().withId(7).withAttempt(2));
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
    assertThat(server.getReceivedMessages())
        .hasSize(2)
        .allSatisfy(
            mail -> {
              assertThat(mail.getSubject()).isEqualTo("Grüße");
              assertThat(mail.getContent().toString()).contains("Hello — you");
              assertThat(mail.getHeader("Message-ID"))
                  .containsExactly(
                      "<" + FakeContext.aContext().withId(7).idempotencyKey() + "@rowqueue>");
            });
  }

  @Test
  void handle_noAddress_failsForGood() {
    assertThatThrownBy(
            () -> handler().handle(new SendEmail("nobody", "s", "t"), FakeContext.aContext()))
        .isInstanceOf(PermanentFailure.class)
        .hasMessageContaining("nobody");
    assertThat(server.getReceivedMessages()).isEmpty();
  }

  @Test
  void handle_serverIsDown_mayBeRetried() {
    SendEmailHandler handler = handler();
    server.stop();
    assertThatThrownBy(() -> handler.handle(EMAIL, FakeContext.aContext()))
        .isInstanceOf(MessagingException.class);
  }
}
