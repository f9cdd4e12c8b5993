package io.rowqueue.proof.security;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** Certificates that the JDK's keytool makes, and the one that a server shows. */
final class Certificates {

  /** Of stores that hold nothing but certificates, and of keys that live as long as a test. */
  static final String PASSWORD = "changeit";

  private static final int PROTOCOL_41 = 0x200;
  private static final int SSL = 0x800;

  private final Path directory;

  Certificates(Path directory) {
    this.directory = directory;
  }

  /** A certificate authority of its own, in a key store of that name. */
  void authority(String name) throws Exception {
    keytool(name, "-genkeypair", "-alias", "ca", "-dname", "CN=" + name, "-ext", "bc:c");
  }

  /** A server's certificate that {@code authority} has signed, for 127.0.0.1 and no other name. */
  void server(String authority) throws Exception {
    keytool(
        authority,
        "-genkeypair",
        "-alias",
        "server",
        "-dname",
        "CN=server",
        "-signer",
        "ca",
        "-ext",
        "san=ip:127.0.0.1");
  }

  private void keytool(String store, String... options) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(options));
    command.addAll(List.of("-keyalg", "RSA", "-validity", "2", "-storepass", PASSWORD));
    command.addAll(List.of("-storetype", "PKCS12", "-keystore", file(store + ".p12").toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(file("keytool.log").toFile())
            .start();
    if (!process.waitFor(2, TimeUnit.MINUTES) || process.exitValue() != 0) {
      throw new IllegalStateException("keytool: " + Files.readString(file("keytool.log")));
    }
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  /** The server's options, with its key and certificates written as PEM. */
  String[] serverOptions(String authority) throws Exception {
    KeyStore store =
        KeyStore.getInstance(file(authority + ".p12").toFile(), PASSWORD.toCharArray());
    byte[] key = store.getKey("server", PASSWORD.toCharArray()).getEncoded();
    Path keyFile = pem("server-key.pem", "PRIVATE KEY", key);
    Path certificate =
        pem("server-cert.pem", "CERTIFICATE", store.getCertificate("server").getEncoded());
    Path ca = pem("ca.pem", "CERTIFICATE", store.getCertificate("ca").getEncoded());
    return new String[] {
      "--ssl", "--ssl-key=" + keyFile, "--ssl-cert=" + certificate, "--ssl-ca=" + ca
    };
  }

  private Path pem(String name, String kind, byte[] bytes) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return Files.writeString(
        file(name), "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(kind, text));
  }

  /** What a client's URL needs to trust {@code authority}, and nobody else. */
  String trusting(String authority) throws Exception {
    KeyStore store =
        KeyStore.getInstance(file(authority + ".p12").toFile(), PASSWORD.toCharArray());
    return trusting(authority, store.getCertificate("ca"));
  }

  /** The same for the authority that the server at {@code port} shows. */
  String trustingServer(int port) throws Exception {
    return trusting("shown", shownAt(port));
  }

  private String trusting(String name, Certificate certificate) throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("ca", certificate);
    Path file = file(name + "-trusted.p12");
    try (OutputStream out = Files.newOutputStream(file)) {
      trusted.store(out, PASSWORD.toCharArray());
    }
    return "&fallbackToSystemTrustStore=false&trustCertificateKeyStoreType=PKCS12"
        + "&trustCertificateKeyStoreUrl="
        + file.toUri()
        + "&trustCertificateKeyStorePassword="
        + PASSWORD;
  }

  /** Asks the server for TLS as a client of its protocol does, and trusts whatever comes. */
  private static Certificate shownAt(int port) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new TrustsAll()}, null);
    try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), port)) {
      skipGreeting(plain.getInputStream());
      ByteBuffer request = ByteBuffer.allocate(36).order(ByteOrder.LITTLE_ENDIAN);
      request.putInt(32 | 1 << 24).putInt(PROTOCOL_41 | SSL).putInt(1 << 24).put((byte) 45);
      plain.getOutputStream().write(request.array());
      try (SSLSocket secure =
          (SSLSocket) context.getSocketFactory().createSocket(plain, "127.0.0.1", port, true)) {
        secure.startHandshake();
        Certificate[] chain = secure.getSession().getPeerCertificates();
        return chain[chain.length - 1];
      }
    }
  }

  private static void skipGreeting(InputStream in) throws IOException {
    byte[] header = new byte[4];
    DataInputStream data = new DataInputStream(in);
    data.readFully(header);
    data.readFully(new byte[(header[0] & 0xFF) | (header[1] & 0xFF) << 8]);
  }

  private static final class TrustsAll implements X509TrustManager {

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
