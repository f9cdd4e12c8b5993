package io.rowqueue.example.email;

import com.google.inject.Inject;
import io.rowqueue.handler.PermanentFailure;
import jakarta.mail.Message;
import jakarta.mail.MessagingException;
import jakarta.mail.SendFailedException;
import jakarta.mail.Session;
import jakarta.mail.Transport;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.nio.charset.StandardCharsets;
import java.util.Properties;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;

/**
 * Speaks SMTP. A repeated mail carries the same Message-ID, by which mail systems recognise it.
 * Thread-safe.
 */
final class Mailer {

  private static final String TIMEOUT_MILLIS = "10000";

  private final SmtpConfig smtp;

  @Inject
  Mailer(SmtpConfig smtp) {
    this.smtp = smtp;
  }

  /**
   * Sends {@code email}; {@code key} is what tells it apart from every other.
   *
   * @throws PermanentFailure if the address is none, or the server refuses it for good
   * @throws MessagingException for whatever may pass
   */
  void send(SendEmail email, String key) throws MessagingException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    // The mail library looks for its parts there, and finds them only in this plug-in's own loader.
    thread.setContextClassLoader(Mailer.class.getClassLoader());
    try {
      Transport.send(message(email, key));
    } catch (SendFailedException e) {
      if (isPermanent(e)) {
        throw new PermanentFailure("refused: " + email.to(), e);
      }
      throw e;
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private MimeMessage message(SendEmail email, String key) throws MessagingException {
    MimeMessage message = new IdentifiedMessage(session(), "<" + key + "@rowqueue>");
    message.setFrom(new InternetAddress(smtp.from()));
    message.setRecipient(Message.RecipientType.TO, recipient(email));
    message.setSubject(email.subject(), StandardCharsets.UTF_8.name());
    message.setText(email.text(), StandardCharsets.UTF_8.name());
    return message;
  }

  private static InternetAddress recipient(SendEmail email) {
    try {
      InternetAddress address = new InternetAddress(email.to(), true);
      address.validate();
      return address;
    } catch (AddressException e) {
      throw new PermanentFailure("no e-mail address: " + email.to(), e);
    }
  }

  private Session session() {
    Properties properties = new Properties();
    properties.setProperty("mail.smtp.host", smtp.host());
    properties.setProperty("mail.smtp.port", Integer.toString(smtp.port()));
    // The library would ask the resolver for this host's name at every mail.
    properties.setProperty("mail.smtp.localhost", "localhost");
    properties.setProperty("mail.smtp.connectiontimeout", TIMEOUT_MILLIS);
    properties.setProperty("mail.smtp.timeout", TIMEOUT_MILLIS);
    properties.setProperty("mail.smtp.writetimeout", TIMEOUT_MILLIS);
    properties.put("mail.smtp.socketFactory", new PromptSockets());
    return Session.getInstance(properties);
  }

  /** SMTP answers 5xx for good and 4xx for now. */
  private static boolean isPermanent(SendFailedException failure) {
    for (Exception next = failure;
        next instanceof MessagingException error;
        next = error.getNextException()) {
      if (error instanceof SMTPAddressFailedException refused) {
        return refused.getReturnCode() >= 500;
      }
    }
    return false;
  }

  /** A mail whose Message-ID we choose; the library would make a new one at each attempt. */
  private static final class IdentifiedMessage extends MimeMessage {

    private final String id;

    IdentifiedMessage(Session session, String id) {
      super(session);
      this.id = id;
    }

    @Override
    protected void updateMessageID() throws MessagingException {
      setHeader("Message-ID", id);
    }
  }
}
