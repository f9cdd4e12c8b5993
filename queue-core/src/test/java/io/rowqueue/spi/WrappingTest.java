package io.rowqueue.spi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.aead.AeadConfig2026;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageLimits;
import io.rowqueue.PayloadException;
import io.rowqueue.Topic;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.wrap.Compression;
import io.rowqueue.internal.wrap.Unwrapping;
import io.rowqueue.spi.Wrapping.Wrapped;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What was wrapped is unwrapped by its mark, within limits, and nothing else is believed. */
class WrappingTest {

  private static final Topic TOPIC = new Topic("order.paid");
  private static final int LIMIT = 1 << 20;
  private static final MessageLimits LIMITS = MessageLimits.defaults().withPayloadBytes(LIMIT);
  private static final Sealed SEALED = Sealed.with(keyset());
  private static final Set<Unwrapper> ALL = Set.of(Zstd.reader(), Deflate.reader(), SEALED);

  private static KeysetSource keyset() {
    try {
      KeysetHandle keyset =
          KeysetHandle.generateNew(
              PredefinedAeadParameters.XAES_256_GCM_192_BIT_NONCE, AeadConfig2026.get());
      return () -> keyset;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<List<Wrapper>> combinations() {
    return List.of(
        List.of(Zstd.above(0)),
        List.of(Deflate.above(0)),
        List.of(SEALED),
        List.of(Zstd.above(0), SEALED),
        List.of(Deflate.above(0), SEALED),
        List.of(Deflate.above(0), Zstd.above(0), SEALED));
  }

  private static Wrapped wrap(byte[] payload, Wrapper... wrappers) {
    return Wrapping.none().forTopic(TOPIC.name(), wrappers).wrap(TOPIC, payload, 1);
  }

  private static byte[] unwrap(Wrapped wrapped) {
    return unwrap(ALL, TOPIC, wrapped.payload(), wrapped.mark());
  }

  private static byte[] unwrap(
      Set<Unwrapper> allowed, Topic topic, byte[] payload, @Nullable String mark) {
    Map<String, String> headers = new HashMap<>(Map.of("mine", "1"));
    if (mark != null) {
      headers.put(Headers.WRAPPED, mark);
    }
    return new Unwrapping(allowed, LIMITS).unwrap(topic, payload, headers, Set.of());
  }

  private static byte[] text(int bytes) {
    return "{\"line\":\"as before\"},".repeat(bytes / 21 + 1).substring(0, bytes).getBytes(UTF_8);
  }

  private static byte[] noise(int bytes) {
    byte[] noise = new byte[bytes];
    new Random(bytes).nextBytes(noise);
    return noise;
  }

  @ParameterizedTest
  @MethodSource("combinations")
  void wrap_anySizeAndKindOfPayload_comesBack(List<Wrapper> wrappers) {
    for (int bytes : new int[] {0, 1, 20, 1_000, 100_000, LIMIT}) {
      for (byte[] payload : List.of(text(bytes), noise(bytes))) {
        byte[] before = payload.clone();
        Wrapped wrapped = wrap(payload, wrappers.toArray(Wrapper[]::new));
        assertThat(unwrap(wrapped)).isEqualTo(payload);
        assertThat(payload).as("the caller's bytes").isEqualTo(before);
      }
    }
  }

  @Test
  void wrap_whatDoesNotShrinkOrIsSmall_isLeftAndNotMarked() {
    byte[] noise = noise(10_000);
    assertThat(wrap(noise, Zstd.above(0)).mark()).isNull();
    assertThat(wrap(noise, Deflate.above(0)).payload()).isSameAs(noise);
    assertThat(wrap(text(1_024), Zstd.above(1_024)).mark()).isNull();
    assertThat(wrap(text(1_025), Zstd.above(1_024)).mark()).isEqualTo("zstd");
    assertThat(wrap(text(5_000), Zstd.above(0)).payload()).hasSizeLessThan(500);
    assertThat(wrap(noise, Zstd.above(0), SEALED).mark()).isEqualTo("sealed");
    assertThat(wrap(text(5_000), Zstd.above(0), SEALED).mark()).isEqualTo("zstd,sealed");
    assertThat(wrap(noise, SEALED).payload()).hasSize(noise.length + 45);
  }

  @Test
  void wrap_topicThatIsNotNamed_isLeftAlone() {
    byte[] payload = text(10_000);
    Wrapped wrapped = Wrapping.none().forTopic("other", Zstd.above(0)).wrap(TOPIC, payload, 1);
    assertThat(wrapped.payload()).isSameAs(payload);
    assertThat(wrapped.mark()).isNull();
    assertThat(unwrap(ALL, TOPIC, payload, null)).isSameAs(payload);
  }

  @ParameterizedTest
  @ValueSource(strings = {"zstd", "deflate"})
  void unwrap_bomb_isRefusedAtItsLimit(String name) {
    byte[] zeros = new byte[LIMIT + 1];
    Wrapper wrapper = name.equals("zstd") ? Zstd.above(0) : Deflate.above(0);
    Wrapped bomb = wrap(zeros, wrapper);
    assertThat(bomb.payload().length).isLessThan(LIMIT / 500);
    assertThatThrownBy(() -> unwrap(bomb))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("1,048,576");
    assertThat(unwrap(wrap(new byte[LIMIT], wrapper))).hasSize(LIMIT);
  }

  @Test
  void unwrap_framesThatDoNotNameTheirSize_stopAtTheLimit() throws IOException {
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    try (ZstdOutputStreamNoFinalizer out = new ZstdOutputStreamNoFinalizer(frames)) {
      byte[] zeros = new byte[1 << 16];
      for (int i = 0; i < 1 << 14; i++) {
        out.write(zeros);
      }
    }
    long before = allocated();
    assertThatThrownBy(() -> unwrap(ALL, TOPIC, frames.toByteArray(), "zstd"))
        .isInstanceOf(InvalidMessageException.class);
    assertThat(allocated() - before).as("of a gigabyte").isLessThan(16L << 20);
  }

  private static long allocated() {
    return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
        .getCurrentThreadAllocatedBytes();
  }

  @ParameterizedTest
  @MethodSource("combinations")
  void unwrap_whatWasCutOrIsNoneOfIt_isForNobody(List<Wrapper> wrappers) {
    Wrapped wrapped = wrap(text(5_000), wrappers.toArray(Wrapper[]::new));
    byte[] bytes = wrapped.payload();
    byte[] cut = Arrays.copyOf(bytes, bytes.length - 1);
    undecodable(TOPIC, cut, wrapped.mark());
    undecodable(TOPIC, new byte[0], wrapped.mark());
    undecodable(TOPIC, text(5_000), wrapped.mark());
  }

  @Test
  void unwrap_sealedAndThenChanged_isForNobody() {
    Wrapped sealed = wrap(text(5_000), Zstd.above(0), SEALED);
    for (int at : new int[] {5, 20, sealed.payload().length - 1}) {
      byte[] flipped = sealed.payload().clone();
      flipped[at] ^= 1;
      undecodable(TOPIC, flipped, "zstd,sealed");
    }
    undecodable(new Topic("order.paid2"), sealed.payload(), "zstd,sealed");
    undecodable(TOPIC, sealed.payload(), "sealed");
    undecodable(TOPIC, sealed.payload(), "deflate,sealed");
  }

  @Test
  void unwrap_sealedInAnotherVersion_isForNobody() {
    byte[] payload = text(100);
    Wrapped second = Wrapping.none().forTopic(TOPIC.name(), SEALED).wrap(TOPIC, payload, 2);
    Unwrapping unwrapping = new Unwrapping(ALL, LIMITS);
    Map<String, String> said = Map.of(Headers.WRAPPED, "sealed", Headers.VERSION, "2");
    assertThat(unwrapping.unwrap(TOPIC, second.payload(), said, Set.of())).isEqualTo(payload);
    for (String version : List.of("1", "3", "none")) {
      Map<String, String> changed = Map.of(Headers.WRAPPED, "sealed", Headers.VERSION, version);
      assertThatThrownBy(() -> unwrapping.unwrap(TOPIC, second.payload(), changed, Set.of()))
          .isInstanceOf(PayloadException.class);
    }
    undecodable(TOPIC, second.payload(), "sealed");
  }

  private static void undecodable(Topic topic, byte[] payload, @Nullable String mark) {
    assertThatThrownBy(() -> unwrap(ALL, topic, payload, mark))
        .isInstanceOf(PayloadException.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ",", "zstd,", ",zstd", "zstd zstd", "ZSTD", "zstd,zstd", "a,b,c,d,e,f,g,h,i"})
  void unwrap_markThatIsNoList_isForNobody(String mark) {
    undecodable(TOPIC, text(100), mark);
  }

  @Test
  void unwrap_wrapperThatIsNotAllowedHere_isForOthers() {
    Wrapped wrapped = wrap(text(5_000), Zstd.above(0), SEALED);
    assertThatThrownBy(() -> unwrap(Set.of(), TOPIC, wrapped.payload(), wrapped.mark()))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("'sealed'");
    assertThatThrownBy(() -> unwrap(Set.of(SEALED), TOPIC, wrapped.payload(), wrapped.mark()))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining("'zstd'");
  }

  @Test
  void unwrap_requiredWrapperIsMissing_isRefused() {
    Unwrapping unwrapping = new Unwrapping(ALL, LIMITS);
    byte[] plain = text(10);
    assertThatThrownBy(() -> unwrapping.unwrap(TOPIC, plain, Map.of(), Set.of("sealed")))
        .isInstanceOf(NotWrappedException.class)
        .hasMessageContaining("is missing");
    Wrapped shrunk = wrap(text(5_000), Zstd.above(0));
    Map<String, String> headers = Map.of(Headers.WRAPPED, "zstd");
    assertThatThrownBy(() -> unwrapping.unwrap(TOPIC, shrunk.payload(), headers, Set.of("sealed")))
        .isInstanceOf(NotWrappedException.class)
        .hasMessageContaining("'zstd'");
  }

  @Test
  void wrappingsAndReaders_thatContradictThemselves_areRefused() {
    Wrapping none = Wrapping.none();
    refused("before encryption", () -> none.forTopic("t", SEALED, Zstd.above(0)));
    refused("two wrappers", () -> none.forTopic("t", Zstd.above(0), Zstd.above(1)));
    refused("negative", () -> Zstd.above(-1));
    Wrapping sealed = none.forTopic("t", SEALED);
    refused("already", () -> sealed.forTopic("t", Zstd.above(0)));
    refused("already", () -> sealed.and(none.forTopic("t", Deflate.above(0))));
    assertThat(
            sealed
                .and(none.forTopic("t", SEALED))
                .and(none)
                .wrap(new Topic("t"), text(1), 1)
                .mark())
        .isEqualTo("sealed");
    Compression one = new Compression("shrink", 9, bytes -> bytes);
    assertThat(one)
        .isEqualTo(new Compression("shrink", 9, bytes -> bytes.clone()))
        .hasSameHashCodeAs(new Compression("shrink", 9, bytes -> bytes.clone()))
        .isNotEqualTo(new Compression("shrink", 8, bytes -> bytes))
        .isNotEqualTo(new Compression("other", 9, bytes -> bytes));
    Sealed other = Sealed.with(keyset());
    refused("'sealed'", () -> new Unwrapping(Set.of(SEALED, other), LIMITS));
  }

  private static void refused(String words, Runnable action) {
    assertThatThrownBy(action::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(words);
  }
}
