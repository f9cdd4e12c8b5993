package io.rowqueue.internal.enqueue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.AeadConfig2026;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageLimits;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadVersion;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.spi.Deflate;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Sealed;
import io.rowqueue.spi.Wrapping;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A row says what was done to its payload and which version it is, and else what it always said.
 */
class WrappedMessageTest {

  @PayloadVersion(3)
  record Paid(String order) {}

  record Plain(String order) {}

  private static final Wrapping WRAPPING = Wrapping.none().forTopic("t", Deflate.above(100));
  private static final MessageLimits LIMITS = MessageLimits.defaults().withPayloadBytes(2_000);

  private static Map<String, String> headers(NewMessage message) {
    return Headers.parse(new Encoder(PayloadCodec.json(), WRAPPING, LIMITS).row(message).headers());
  }

  @Test
  void headers_ofWhatUsesNothing_areNone() {
    assertThat(headers(NewMessage.of("t", new Plain("a")))).isEmpty();
    assertThat(headers(NewMessage.of("other", new byte[1_000]))).isEmpty();
    assertThat(headers(NewMessage.of("t", new Plain("a")).withHeader("mine", "1")))
        .containsExactly(Map.entry("mine", "1"));
  }

  @Test
  void headers_ofWhatUsesBoth_nameVersionAndWrapper() {
    NewMessage message = NewMessage.of("t", new Paid("a".repeat(500))).withHeader("mine", "1");
    assertThat(headers(message))
        .containsOnly(
            Map.entry("mine", "1"),
            Map.entry(Headers.VERSION, "3"),
            Map.entry(Headers.WRAPPED, "deflate"));
    assertThat(message.headers()).as("the caller's").containsOnlyKeys("mine");
  }

  @Test
  void version_thatTheCallerNames_goesBeforeTheTypes() {
    assertThat(headers(NewMessage.of("u", new Paid("a")).withPayloadVersion(2)))
        .containsExactly(Map.entry(Headers.VERSION, "2"));
    assertThat(headers(NewMessage.of("u", new byte[1]).withPayloadVersion(7)))
        .containsExactly(Map.entry(Headers.VERSION, "7"));
  }

  @Test
  void payload_beyondTheLimitOnlyOnceItIsSealed_isRefused() throws Exception {
    KeysetHandle keyset =
        KeysetHandle.generateNew(
            PredefinedAeadParameters.XAES_256_GCM_192_BIT_NONCE, AeadConfig2026.get());
    Wrapping sealing = Wrapping.none().forTopic("t", Sealed.with(() -> keyset));
    PayloadCodec json = PayloadCodec.json();
    assertThat(new Encoder(json, sealing, LIMITS).row(raw(2_000 - 45)).payload()).hasSize(2_000);
    assertThatThrownBy(() -> new Encoder(json, sealing, LIMITS).row(raw(2_000 - 44)))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("has 2,001 bytes");
  }

  @Test
  void headers_beyondTheLimitOnlyByTheMark_areRefused() {
    NewMessage message =
        NewMessage.of("t", new Plain("a".repeat(500))).withHeader("mine", "x".repeat(80));
    MessageLimits tight = LIMITS.withHeadersBytes(100);
    PayloadCodec json = PayloadCodec.json();
    assertThat(new Encoder(json, Wrapping.none(), tight).row(message).headers()).isNotNull();
    assertThatThrownBy(() -> new Encoder(json, WRAPPING, tight).row(message))
        .isInstanceOf(InvalidMessageException.class);
  }

  private static NewMessage raw(int bytes) {
    return NewMessage.of("t", new byte[bytes]);
  }

  @Test
  void payload_beyondTheLimitBeforeItIsWrapped_isRefused() {
    assertThatThrownBy(() -> headers(NewMessage.of("t", new byte[2_001])))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("over the limit of 2,000");
  }
}
