package io.rowqueue.example.docs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.TinkJsonProtoKeysetFormat;
import com.google.crypto.tink.aead.AeadConfig2026;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.TypeLiteral;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.PayloadVersion;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.Upcasters;
import io.rowqueue.handler.VersionedDecoder;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.wrap.Unwrapping;
import io.rowqueue.spi.KeysetSource;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Sealed;
import io.rowqueue.spi.Unwrapper;
import io.rowqueue.spi.Wrapping;
import io.rowqueue.spi.Wrapping.Wrapped;
import io.rowqueue.spi.Zstd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Payloads that are wrapped or change, and topics that are renamed, as the documents show them. */
class ChangeSnippetsTest {

  // snippet: version
  @PayloadVersion(3)
  record OrderPaid(String order, String payer, String currency) {}

  // end snippet

  // snippet: upcasters
  static final Upcasters ORDER_PAID =
      Upcasters.to(OrderPaid.class)
          .from(1, tree -> tree.putIfAbsent("currency", "EUR"))
          .from(2, tree -> tree.put("payer", tree.remove("customer")));

  // end snippet

  static final class OrderPaidHandler implements MessageHandler<OrderPaid> {
    @Override
    public void handle(OrderPaid paid, HandlerContext context) {}
  }

  static final class MailHandler implements MessageHandler<String> {
    @Override
    public void handle(String mail, HandlerContext context) {}
  }

  private static final class OrderModule extends AbstractModule {

    private final Path keys;

    OrderModule(Path keys) {
      this.keys = keys;
    }

    @Override
    protected void configure() {
      // snippet: unwrap
      WrapperBinder.allow(binder(), Zstd.reader(), Sealed.with(KeysetSource.file(keys)));
      HandlerBinder.bind(
          binder(),
          "order.paid",
          OrderPaidHandler.class,
          HandlerSettings.defaults().withRequiredWrappers(Sealed.NAME).withUpcasters(ORDER_PAID));
      // end snippet
      HandlerBinder.bind(
          binder(),
          "mail.send",
          MailHandler.class,
          HandlerSettings.defaults().withFormerTopics("email.send"));
      Multibinder.newSetBinder(binder(), HandlerInterceptor.class);
      bind(HandlerDefaults.class).toInstance(HandlerDefaults.defaults());
      bind(MessageLimits.class).toInstance(MessageLimits.defaults());
    }
  }

  @TempDir private Path folder;

  private Path keyset() throws GeneralSecurityException, IOException {
    KeysetHandle fresh =
        KeysetHandle.generateNew(
            PredefinedAeadParameters.XAES_256_GCM_192_BIT_NONCE, AeadConfig2026.get());
    String json =
        TinkJsonProtoKeysetFormat.serializeKeyset(
            fresh, AeadConfig2026.get(), InsecureSecretKeyAccess.get());
    return Files.writeString(folder.resolve("keys.json"), json);
  }

  @Test
  void wrapping_ofTheProducer_isUndoneByTheWorkersModule() throws Exception {
    Path keys = keyset();
    // snippet: wrap
    Wrapping wrapping =
        Wrapping.none()
            .forTopic("order.paid", Zstd.above(1_024), Sealed.with(KeysetSource.file(keys)));
    MessageProducer producer = MessageProducer.create().wrapping(wrapping);
    // end snippet
    assertThat(producer).isNotNull();
    byte[] payload = "{\"order\":\"a\"}".getBytes(UTF_8);
    Topic topic = new Topic("order.paid");
    Wrapped wrapped = wrapping.wrap(topic, payload, 1);
    assertThat(wrapped.mark()).isEqualTo("sealed");
    Injector injector = Guice.createInjector(new OrderModule(keys));
    assertThat(injector.getInstance(Key.get(new TypeLiteral<Set<Unwrapper>>() {}))).hasSize(2);
    Map<String, String> headers = Map.of(Headers.WRAPPED, Objects.requireNonNull(wrapped.mark()));
    assertThat(
            injector
                .getInstance(Unwrapping.class)
                .unwrap(topic, wrapped.payload(), headers, Set.of("sealed")))
        .isEqualTo(payload);
    assertThat(injector.getInstance(HandlerRegistry.class).binding(new Topic("email.send")))
        .isEqualTo(new Topic("mail.send"));
  }

  @Test
  void upcasters_ofTheBinding_readEveryVersion() {
    VersionedDecoder decoder =
        new VersionedDecoder(PayloadCodec.json(), OrderPaid.class, ORDER_PAID);
    OrderPaid newest = new OrderPaid("a", "ada", "EUR");
    assertThat(decoder.decode("{\"order\":\"a\",\"customer\":\"ada\"}".getBytes(UTF_8), Map.of()))
        .isEqualTo(newest);
    assertThat(
            decoder.decode(
                "{\"order\":\"a\",\"payer\":\"ada\",\"currency\":\"EUR\"}".getBytes(UTF_8),
                Map.of("rowqueue-version", "3")))
        .isEqualTo(newest);
  }
}
