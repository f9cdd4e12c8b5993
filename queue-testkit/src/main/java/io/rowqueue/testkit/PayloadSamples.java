package io.rowqueue.testkit;

import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.TypeLiteral;
import io.rowqueue.MessageLimits;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadException;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.VersionedDecoder;
import io.rowqueue.internal.enqueue.EncodedBody;
import io.rowqueue.internal.enqueue.Encoder;
import io.rowqueue.internal.handle.HandlerBinding;
import io.rowqueue.internal.handle.HandlerPolicy;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.spi.UnreadableException;
import io.rowqueue.spi.Wrapping;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Compatibility samples: payloads written by earlier versions of producers, stored with the tests.
 * A message may be in the queue during a deployment, or be redriven months later, and current
 * handlers must decode it. One file for each, {@code <folder>/<topic>/v<version>-<anything>.json}.
 * Immutable.
 *
 * <pre>{@code
 * PayloadSamples samples = PayloadSamples.in(Path.of("src/test/payloads"), new ShopModule());
 * samples.check();
 * samples.checkKept("order.placed", new OrderPlaced("o-1", "ada@example.org", "tea", 1));
 * }</pre>
 */
public final class PayloadSamples {

  /** Stores missing samples, instead of failing. */
  private static final String UPDATE = "rowqueue.samples.update";

  private static final Pattern FILE = Pattern.compile("v(\\d+)-.*");

  private static final Key<Set<HandlerBinding>> BINDINGS = Key.get(new TypeLiteral<>() {});

  private final Path folder;
  private final Injector parts;

  private PayloadSamples(Path folder, List<Module> team) {
    this.folder = folder;
    this.parts =
        Wiring.of(
            new Stage(),
            team,
            List.of(),
            new Wiring.Surroundings(HandlerDefaults.defaults(), null));
  }

  /**
   * Uses the samples in {@code folder} for the handlers that {@code modules} bind; creates no
   * handler.
   */
  public static PayloadSamples in(Path folder, Module... modules) {
    return new PayloadSamples(folder, List.of(modules));
  }

  /**
   * Decodes every sample of every topic as for its handler, including upcasters.
   *
   * @throws AssertionError listing the samples that cannot be decoded, or that lead to null in a
   *     part that is not {@code @Nullable}
   */
  public void check() {
    List<String> wrong = new ArrayList<>();
    for (HandlerBinding binding : parts.getInstance(BINDINGS)) {
      for (Path sample : samples(binding.topic())) {
        wrong.addAll(wrong(binding, sample));
      }
    }
    if (!wrong.isEmpty()) {
      throw new AssertionError(
          ("payloads already in queues can no longer be decoded; give the type a new version and"
                  + " an upcaster, or the part a default:%n  %s")
              .formatted(String.join("\n  ", wrong)));
    }
  }

  /**
   * Checks that a sample of {@code topic} equals the payload that a producer writes now, so that a
   * sample of the old format remains when the type changes. With {@code
   * -Drowqueue.samples.update=true} the sample is written instead.
   *
   * @throws AssertionError if there is none
   */
  public void checkKept(String topic, Object payload) {
    Topic checked = new Topic(topic);
    EncodedBody body =
        new Encoder(policy(checked).codec(), Wrapping.none(), MessageLimits.defaults())
            .body(NewMessage.of(checked, payload));
    List<Path> samples = samples(checked);
    if (samples.stream().anyMatch(sample -> Arrays.equals(read(sample), body.payload()))) {
      return;
    }
    String version = body.headers().getOrDefault(Headers.VERSION, "1");
    Path file = folder.resolve(topic).resolve("v" + version + "-" + (samples.size() + 1) + ".json");
    if (!Boolean.getBoolean(UPDATE)) {
      throw new AssertionError(
          "a producer of '%s' writes a payload without a sample: %s; -D%s=true stores it as %s. Keep the other samples: such messages may still arrive"
              .formatted(topic, new String(body.payload(), StandardCharsets.UTF_8), UPDATE, file));
    }
    write(file, body.payload());
  }

  private HandlerPolicy policy(Topic topic) {
    return parts.getInstance(HandlerRegistry.class).policy(topic);
  }

  private List<String> wrong(HandlerBinding binding, Path sample) {
    Matcher name = FILE.matcher(String.valueOf(sample.getFileName()));
    if (!name.matches()) {
      return List.of(sample + ": its name has no version, as in v1-any.json");
    }
    HandlerPolicy policy = policy(binding.topic());
    VersionedDecoder decoder =
        new VersionedDecoder(policy.codec(), binding.payloadType(), policy.upcasters());
    try {
      Object payload = decoder.decode(read(sample), Map.of(Headers.VERSION, name.group(1)));
      return Gaps.in(payload).stream().map(gap -> sample + ": " + gap + " is null").toList();
    } catch (PayloadException | UnreadableException e) {
      return List.of(sample + ": " + e.getMessage());
    }
  }

  private List<Path> samples(Topic topic) {
    Path ofTopic = folder.resolve(topic.name());
    if (!Files.isDirectory(ofTopic)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(ofTopic)) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException("samples cannot be listed in " + ofTopic, e);
    }
  }

  private static byte[] read(Path sample) {
    try {
      return new String(Files.readAllBytes(sample), StandardCharsets.UTF_8)
          .strip()
          .getBytes(StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("the sample cannot be read: " + sample, e);
    }
  }

  private static void write(Path file, byte[] payload) {
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, payload);
    } catch (IOException e) {
      throw new UncheckedIOException("the sample cannot be written: " + file, e);
    }
  }
}
