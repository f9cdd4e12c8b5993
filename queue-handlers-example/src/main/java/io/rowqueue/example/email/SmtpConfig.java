package io.rowqueue.example.email;

/**
 * The shop's mail server.
 *
 * @param host its name
 * @param port where it listens
 * @param from the sender's address
 */
public record SmtpConfig(String host, int port, String from) {

  /** From SHOP_SMTP_HOST, SHOP_SMTP_PORT and SHOP_SMTP_FROM; localhost:25 by default. */
  public static SmtpConfig fromEnvironment() {
    return new SmtpConfig(
        setting("SHOP_SMTP_HOST", "localhost"),
        Integer.parseInt(setting("SHOP_SMTP_PORT", "25")),
        setting("SHOP_SMTP_FROM", "shop@example.org"));
  }

  private static String setting(String name, String otherwise) {
    String value = System.getenv(name);
    return value == null ? otherwise : value;
  }
}
