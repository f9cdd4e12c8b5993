package io.rowqueue.spi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.crypto.tink.InsecureSecretKeyAccess;
import com.google.crypto.tink.KeyStatus;
import com.google.crypto.tink.KeysetHandle;
import com.google.crypto.tink.TinkJsonProtoKeysetFormat;
import com.google.crypto.tink.aead.AeadConfig;
import com.google.crypto.tink.aead.AeadConfig2026;
import com.google.crypto.tink.aead.AesGcmParameters;
import com.google.crypto.tink.aead.PredefinedAeadParameters;
import io.rowqueue.PayloadException;
import io.rowqueue.Topic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys come and go while payloads that they sealed are on their way. */
class SealedTest {

  private static final Place PLACE = new Place(new Topic("order.paid"), "sealed", 1);
  private static final byte[] SECRET = "the card is 4711".getBytes(UTF_8);
  private static final int OLD = 0x1a2b3c4d;
  private static final int NEW = 0x00000007;

  @TempDir private Path folder;
  private final AtomicLong nanos = new AtomicLong(-5);
  private Path keys;

  @BeforeEach
  void namesTheFile() throws GeneralSecurityException {
    // To make keysets, as a team's own tools do; RowQueue itself registers nothing.
    AeadConfig.register();
    keys = folder.resolve("keys.json");
  }

  private static KeysetHandle.Builder.Entry key(int id) {
    return KeysetHandle.generateEntryFromParameters(
            PredefinedAeadParameters.XAES_256_GCM_192_BIT_NONCE)
        .withFixedId(id);
  }

  private static KeysetHandle only(int id) throws GeneralSecurityException {
    return KeysetHandle.newBuilder().addEntry(key(id).makePrimary()).build();
  }

  private void write(KeysetHandle keyset) throws GeneralSecurityException, IOException {
    Files.writeString(
        keys,
        TinkJsonProtoKeysetFormat.serializeKeyset(
            keyset, AeadConfig2026.get(), InsecureSecretKeyAccess.get()));
  }

  private static KeysetHandle with(KeysetHandle keyset, int id) throws GeneralSecurityException {
    return KeysetHandle.newBuilder(keyset).addEntry(key(id)).build();
  }

  private static KeysetHandle primary(KeysetHandle keyset, int index)
      throws GeneralSecurityException {
    KeysetHandle.Builder builder = KeysetHandle.newBuilder(keyset);
    builder.getAt(index).makePrimary();
    return builder.build();
  }

  private Sealed sealed() {
    return Sealed.with(KeysetSource.file(keys), nanos::get, Runnable::run);
  }

  private void aMinuteLater() {
    nanos.addAndGet(Duration.ofMinutes(1).toNanos());
  }

  private static byte[] open(Sealed sealed, byte[] bytes) {
    return sealed.unwrap(bytes, PLACE, 1_000);
  }

  @Test
  void wrap_anyPayload_hidesItAndSaysWhichKeyOpensIt() throws Exception {
    write(only(OLD));
    Sealed sealed = sealed();
    byte[] bytes = sealed.wrap(SECRET, PLACE);
    assertThat(new String(bytes, UTF_8)).doesNotContain("4711");
    assertThat(KeyId.of(bytes)).isEqualTo(new KeyId(OLD)).hasToString("0x1a2b3c4d");
    assertThat(sealed.wrap(SECRET, PLACE)).as("another nonce").isNotEqualTo(bytes);
    assertThat(open(sealed, bytes)).isEqualTo(SECRET);
  }

  @Test
  void rotation_inTheRightOrder_opensEverythingAllTheTime() throws Exception {
    KeysetHandle old = only(OLD);
    write(old);
    Sealed producer = sealed();
    Sealed worker = sealed();
    byte[] before = producer.wrap(SECRET, PLACE);

    KeysetHandle both = with(old, NEW);
    write(both);
    aMinuteLater();
    assertThat(KeyId.of(producer.wrap(SECRET, PLACE))).isEqualTo(new KeyId(OLD));
    assertThat(open(worker, before)).isEqualTo(SECRET);

    KeysetHandle turned = primary(both, 1);
    write(turned);
    aMinuteLater();
    byte[] after = producer.wrap(SECRET, PLACE);
    assertThat(KeyId.of(after)).isEqualTo(new KeyId(NEW));
    assertThat(open(worker, after)).isEqualTo(SECRET);
    assertThat(open(worker, before)).isEqualTo(SECRET);

    KeysetHandle.Builder disabling = KeysetHandle.newBuilder(turned);
    disabling.getAt(0).setStatus(KeyStatus.DISABLED);
    write(disabling.build());
    aMinuteLater();
    assertThat(open(worker, after)).isEqualTo(SECRET);
    unreadable("0x1a2b3c4d", worker, before);
  }

  @Test
  void rotation_inTheWrongOrder_isUnreadableForASecond() throws Exception {
    KeysetHandle old = only(OLD);
    write(old);
    Sealed worker = sealed();
    write(primary(with(old, NEW), 1));
    byte[] early = sealed().wrap(SECRET, PLACE);
    unreadable("0x00000007", worker, early);
    nanos.addAndGet(Duration.ofSeconds(1).toNanos() - 1);
    unreadable("0x00000007", worker, early);
    nanos.incrementAndGet();
    assertThat(open(worker, early)).isEqualTo(SECRET);
  }

  private static void unreadable(String key, Sealed worker, byte[] bytes) {
    assertThatThrownBy(() -> open(worker, bytes))
        .isInstanceOf(UnreadableException.class)
        .hasMessageContaining(key);
  }

  @Test
  void poll_keysetThatBreaks_leavesTheOneBefore() throws Exception {
    write(only(OLD));
    Sealed sealed = sealed();
    byte[] bytes = sealed.wrap(SECRET, PLACE);
    for (String broken : new String[] {"", "{\"primaryKeyId\":1,", "{}"}) {
      Files.writeString(keys, broken);
      aMinuteLater();
      assertThat(open(sealed, bytes)).isEqualTo(SECRET);
    }
    Files.delete(keys);
    aMinuteLater();
    assertThat(open(sealed, sealed.wrap(SECRET, PLACE))).isEqualTo(SECRET);
  }

  @Test
  void poll_whoseThreadCannotStart_isTriedAgain() throws Exception {
    write(only(OLD));
    AtomicInteger starts = new AtomicInteger();
    Sealed sealed =
        Sealed.with(
            KeysetSource.file(keys),
            nanos::get,
            poll -> {
              if (starts.incrementAndGet() == 1) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              poll.run();
            });
    write(only(NEW));
    aMinuteLater();
    assertThat(KeyId.of(sealed.wrap(SECRET, PLACE))).isEqualTo(new KeyId(OLD));
    aMinuteLater();
    assertThat(KeyId.of(sealed.wrap(SECRET, PLACE))).isEqualTo(new KeyId(NEW));
  }

  @Test
  void with_keysetThatCannotBeRead_saysSoWithoutQuotingIt() throws Exception {
    assertThatThrownBy(this::sealed)
        .isInstanceOf(KeysetException.class)
        .hasMessageContaining("keys.json");
    write(only(OLD));
    String key = Files.readString(keys).replaceAll("(?s).*\"value\":\"([^\"]+)\".*", "$1");
    assertThat(key).hasSizeBetween(20, 200);
    Files.writeString(keys, Files.readString(keys).replace("\"value\"", "\"valu\""));
    assertThatThrownBy(this::sealed)
        .isInstanceOf(KeysetException.class)
        .hasNoCause()
        .message()
        .doesNotContain(key);
  }

  @Test
  void with_sourceThatQuotesAKey_doesNot() {
    String key = "c2VjcmV0";
    KeysetSource runtime =
        () -> {
          throw new IllegalArgumentException(key);
        };
    KeysetSource caused =
        () -> {
          throw new GeneralSecurityException(key, new IOException(key));
        };
    KeysetSource read =
        () -> {
          throw new IOException(key, new IOException(key));
        };
    for (KeysetSource source : List.of(runtime, caused, read)) {
      assertThatThrownBy(() -> Sealed.with(source))
          .isInstanceOf(KeysetException.class)
          .hasNoCause()
          .message()
          .doesNotContain(key);
    }
  }

  @Test
  void with_keysetThatIsAwayOrBroken_tellsThemApartAndNamesIt() throws Exception {
    assertThatThrownBy(this::sealed)
        .hasMessageContaining("cannot be read")
        .hasMessageContaining("file " + keys)
        .isInstanceOfSatisfying(KeysetException.class, e -> assertThat(e.isAway()).isTrue());
    for (byte[] none : List.of(new byte[] {'{', '}'}, new byte[] {(byte) 0xCA, (byte) 0xFE})) {
      Files.write(keys, none);
      assertThatThrownBy(this::sealed)
          .hasMessageContaining("usable keyset")
          .hasMessageContaining("file " + keys)
          .isInstanceOfSatisfying(KeysetException.class, e -> assertThat(e.isAway()).isFalse());
    }
  }

  @Test
  void poll_thatDoesNotEnd_isTheOnlyOneAndNobodyWaitsForIt() throws Exception {
    KeysetHandle old = only(OLD);
    write(old);
    List<Runnable> looks = new ArrayList<>();
    Sealed sealed = Sealed.with(KeysetSource.file(keys), nanos::get, looks::add);
    byte[] bytes = sealed.wrap(SECRET, PLACE);
    for (int minute = 0; minute < 3; minute++) {
      aMinuteLater();
      assertThat(open(sealed, bytes)).isEqualTo(SECRET);
    }
    assertThat(looks).hasSize(1);
    looks.remove(0).run();
    aMinuteLater();
    assertThat(open(sealed, bytes)).isEqualTo(SECRET);
    assertThat(looks).as("and goes on once it has ended").hasSize(1);
  }

  @Test
  void poll_onAnotherThread_hasTheLoaderOfWhoeverNamedTheSource() throws Exception {
    KeysetHandle old = only(OLD);
    List<ClassLoader> seen = new ArrayList<>();
    KeysetSource source =
        () -> {
          seen.add(Thread.currentThread().getContextClassLoader());
          return old;
        };
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    ClassLoader plugIn = new ClassLoader(before) {};
    thread.setContextClassLoader(plugIn);
    Sealed sealed = Sealed.with(source, nanos::get, Runnable::run);
    thread.setContextClassLoader(before);
    aMinuteLater();
    assertThat(sealed.wrap(SECRET, PLACE)).isNotEmpty();
    assertThat(seen).containsExactly(plugIn, plugIn);
    assertThat(thread.getContextClassLoader()).isSameAs(before);
  }

  @Test
  void with_keyWhosePayloadsDoNotNameIt_isRefused() throws Exception {
    AesGcmParameters raw =
        AesGcmParameters.builder()
            .setKeySizeBytes(32)
            .setIvSizeBytes(12)
            .setTagSizeBytes(16)
            .setVariant(AesGcmParameters.Variant.NO_PREFIX)
            .build();
    write(
        KeysetHandle.newBuilder()
            .addEntry(KeysetHandle.generateEntryFromParameters(raw).withFixedId(OLD).makePrimary())
            .build());
    assertThatThrownBy(this::sealed)
        .isInstanceOf(KeysetException.class)
        .hasMessageContaining("0x1a2b3c4d");
  }

  @Test
  void unwrap_keysOfOtherKinds_areRead() throws Exception {
    write(KeysetHandle.generateNew(PredefinedAeadParameters.AES256_GCM, AeadConfig2026.get()));
    Sealed sealed = sealed();
    assertThat(open(sealed, sealed.wrap(SECRET, PLACE))).isEqualTo(SECRET);
  }

  @Test
  void unwrap_otherKeyOfTheSameId_isForNobody() throws Exception {
    write(only(OLD));
    byte[] bytes = sealed().wrap(SECRET, PLACE);
    write(only(OLD));
    assertThatThrownBy(() -> open(sealed(), bytes))
        .isInstanceOf(PayloadException.class)
        .hasMessageContaining("0x1a2b3c4d");
  }

  @Test
  void unwrap_underAnotherPlace_isForNobody() throws Exception {
    write(only(OLD));
    Sealed sealed = sealed();
    Place place = new Place(new Topic("order.paid"), "zstd,sealed", 2);
    byte[] bytes = sealed.wrap(SECRET, place);
    assertThat(sealed.unwrap(bytes, place, 1_000)).isEqualTo(SECRET);
    for (Place other :
        List.of(
            new Place(new Topic("order.made"), "zstd,sealed", 2),
            new Place(new Topic("order.paid"), "sealed", 2),
            new Place(new Topic("order.paid"), "zstd,sealed", 1))) {
      assertThatThrownBy(() -> sealed.unwrap(bytes, other, 1_000))
          .isInstanceOf(PayloadException.class)
          .hasMessageContaining("another version than " + other.version());
    }
  }

  @Test
  void unwrap_bytesWithoutAKeysId_areForNobody() throws Exception {
    write(only(OLD));
    Sealed sealed = sealed();
    for (byte[] bytes :
        new byte[][] {{}, {1, 2, 3, 4}, {2, 0, 0, 0, 1, 9}, {'{', '"', 'a', 1, 1}}) {
      assertThatThrownBy(() -> open(sealed, bytes)).isInstanceOf(PayloadException.class);
    }
  }

  @Test
  void equal_areThoseThatReadTheSameKeyset() throws Exception {
    write(only(OLD));
    assertThat(sealed()).isEqualTo(sealed()).hasSameHashCodeAs(sealed());
    assertThat(sealed()).isNotEqualTo(Sealed.with(() -> only(OLD)));
  }
}
