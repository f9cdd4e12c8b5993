package io.rowqueue.worker.internal.cli;

import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.Deduplication;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.internal.deadletter.DeadLetterGroups;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.spi.KeyId;
import io.rowqueue.worker.Rate;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.internal.cli.CommonOptions.LogOutput;
import io.rowqueue.worker.internal.cli.Converters.DurationText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the values of options that have a type of their own. */
final class Converters {

  /** Takes a limit away. */
  private static final String NONE = "none";

  private Converters() {}

  static void register(CommandLine commands) {
    commands
        .registerConverter(Duration.class, new DurationText())
        .registerConverter(Rate.class, new RateText())
        .registerConverter(Instant.class, Moment::instant)
        .registerConverter(Moment.class, Moment::parse)
        .registerConverter(ZoneId.class, Converters::zone)
        .registerConverter(Topic.class, Converters::topic)
        .registerConverter(MessageId.class, Converters::messageId)
        .registerConverter(KeyId.class, Converters::keyId)
        .registerConverter(OptionalLong.class, Converters::limit);
  }

  private static ZoneId zone(String text) {
    return parsed(
        text, ZoneId::of, "'%s' is not a valid time zone; write Europe/Berlin, UTC or +01:00");
  }

  private static MessageId messageId(String text) {
    return parsed(
        text,
        each -> new MessageId(Long.parseLong(each)),
        "'%s' is not a valid message id; ids are whole numbers from 1 on");
  }

  private static <T> T parsed(String text, Function<String, T> parse, String refusal) {
    try {
      return parse.apply(text.strip());
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new TypeConversionException(refusal.formatted(text));
    }
  }

  private static Topic topic(String text) {
    try {
      return new Topic(text);
    } catch (InvalidMessageException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }

  private static KeyId keyId(String text) {
    try {
      return KeyId.parse(text.strip());
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }

  /** A whole number, or {@code none}, which is the empty one. */
  private static OptionalLong limit(String text) {
    try {
      return text.equals(NONE) ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      throw new TypeConversionException(
          "'%s' is not a valid limit; write a whole number, or none".formatted(text));
    }
  }

  /** An age as a limit, in seconds: a duration, or {@code none}, which is the empty one. */
  static final class Age implements ITypeConverter<OptionalLong> {
    @Override
    public OptionalLong convert(String text) {
      return text.equals(NONE)
          ? OptionalLong.empty()
          : OptionalLong.of(new DurationText().convert(text).toSeconds());
    }
  }

  /** The fingerprint of an error as {@link DeadLetterTexts#group} writes it. */
  static final class Fingerprint implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      return parsed(
          text,
          each -> Long.parseUnsignedLong(each, 16),
          "'%s' is not a valid group; `dead-letters groups` prints them, such as 9f86d081884c7d65");
    }
  }

  /** How long a deduplication key is held: {@code claimed}, {@code done} or for a duration. */
  static final class KeyHeld implements ITypeConverter<Function<String, Deduplication>> {
    @Override
    public Function<String, Deduplication> convert(String text) {
      return switch (text.strip().toLowerCase(Locale.ROOT)) {
        case "claimed" -> Deduplication::whileWaiting;
        case "done" -> Deduplication::whileAlive;
        default -> {
          Duration window = window(text);
          yield key -> Deduplication.within(key, window);
        }
      };
    }

    private static Duration window(String text) {
      try {
        return new DurationText().convert(text);
      } catch (TypeConversionException e) {
        throw new TypeConversionException(
            "'%s' is neither claimed nor done nor a duration, such as 24h".formatted(text));
      }
    }
  }

  static final class BatchId implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      return parsed(
          text,
          each -> new MessageId(Long.parseLong(each)).value(),
          "'%s' is not a valid id; ids are whole numbers from 1 on");
    }
  }

  /** Sizes in bytes as people write them: {@code 65536}, {@code 16k}, {@code 4m}, {@code 1g}. */
  static final class SizeText implements ITypeConverter<Long> {

    /** Each 1,024 times the one before; the first is the empty one, for bytes. */
    private static final List<String> UNITS = List.of("", "k", "m", "g");

    private static final Pattern SIZE = Pattern.compile("(\\d{1,18})([kmg]?)(?:i?b)?");

    @Override
    public Long convert(String text) {
      Matcher size = SIZE.matcher(text.strip().toLowerCase(Locale.ROOT));
      try {
        if (size.matches()) {
          return Math.multiplyExact(
              Long.parseLong(size.group(1)), 1L << (10 * UNITS.indexOf(size.group(2))));
        }
      } catch (ArithmeticException e) {
        throw new TypeConversionException("'%s' is too large".formatted(text));
      }
      throw new TypeConversionException(
          "'%s' is not a valid size; write bytes, or 16k, 4m, 4MiB, 1g (powers of 1,024)"
              .formatted(text));
    }

    /** The shortest way to write {@code bytes} that {@link #convert} reads, for help texts. */
    static String of(long bytes) {
      if (bytes % (1 << 20) == 0) {
        return bytes / (1 << 20) + "m";
      }
      return bytes % (1 << 10) == 0 ? bytes / (1 << 10) + "k" : Long.toString(bytes);
    }
  }

  /** Durations as people write them: {@code 500ms}, {@code 30s}, {@code 1h30m}, {@code PT5M}. */
  static final class DurationText implements ITypeConverter<Duration> {

    private static final Pattern PART = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");

    /** Well below what fits into a long of nanoseconds. */
    private static final Duration LONGEST = Duration.ofDays(36_525);

    private static final Pattern WHOLE = Pattern.compile("(?:" + PART.pattern() + ")+");

    @Override
    public Duration convert(String text) {
      try {
        Duration duration = parse(text.strip().toLowerCase(Locale.ROOT));
        if (duration.abs().compareTo(LONGEST) > 0) {
          throw new TypeConversionException("'%s' is more than 100 years".formatted(text));
        }
        return duration;
      } catch (DateTimeParseException | ArithmeticException e) {
        throw new TypeConversionException(
            "'%s' is not a valid duration; write 500ms, 30s, 5m, 1h, 2d, or ISO-8601 such as PT5M"
                .formatted(text));
      }
    }

    /** The shortest way to write {@code duration} that {@link #convert} reads, for help texts. */
    static String of(Duration duration) {
      long millis = duration.toMillis();
      if (millis % 1_000 != 0) {
        return millis + "ms";
      }
      long seconds = millis / 1_000;
      if (seconds % 3_600 == 0 && seconds > 0) {
        return seconds / 3_600 + "h";
      }
      return seconds % 60 == 0 && seconds > 0 ? seconds / 60 + "m" : seconds + "s";
    }

    private static Duration parse(String text) {
      if (text.equals("0")) {
        return Duration.ZERO;
      }
      if (!WHOLE.matcher(text).matches()) {
        return Duration.parse(text);
      }
      Duration sum = Duration.ZERO;
      Matcher part = PART.matcher(text);
      while (part.find()) {
        long amount = Long.parseLong(part.group(1));
        sum = sum.plus(unit(part.group(2)).multipliedBy(amount));
      }
      return sum;
    }

    /** One of {@code ms}, {@code s}, {@code m}, {@code h} and {@code d}. */
    static Duration unit(String name) {
      return switch (name) {
        case "ms" -> Duration.ofMillis(1);
        case "s" -> Duration.ofSeconds(1);
        case "m" -> Duration.ofMinutes(1);
        case "h" -> Duration.ofHours(1);
        default -> Duration.ofDays(1);
      };
    }
  }

  /** Rates as people write them: {@code 50/s}, {@code 30/m}, {@code 5/h}. */
  static final class RateText implements ITypeConverter<Rate> {

    private static final Pattern RATE = Pattern.compile("([1-9]\\d{0,8})/([smh])");
    private static final Pattern NUMBER = Pattern.compile("[1-9]\\d*");

    @Override
    public Rate convert(String text) {
      Matcher rate = RATE.matcher(text.strip().toLowerCase(Locale.ROOT));
      if (!rate.matches()) {
        String example = NUMBER.matcher(text).matches() ? text : "50";
        throw new TypeConversionException(
            "'%s' is not a valid rate; write %2$s/s, %2$s/m or %2$s/h".formatted(text, example));
      }
      return new Rate(Integer.parseInt(rate.group(1)), DurationText.unit(rate.group(2)));
    }

    /** The way to write {@code rate} that {@link #convert} reads. */
    static String of(Rate rate) {
      return rate.messages() + "/" + DurationText.of(rate.per()).substring(1);
    }
  }

  /** A rate as a limit, per second: a rate, or {@code none}, which is the empty one. */
  static final class PerSecond implements ITypeConverter<OptionalLong> {

    private static final int FASTEST = 1_000_000;

    @Override
    public OptionalLong convert(String text) {
      if (text.equals(NONE)) {
        return OptionalLong.empty();
      }
      Rate rate = new RateText().convert(text);
      long seconds = rate.per().toSeconds();
      if (rate.messages() % seconds != 0 || rate.messages() / seconds > FASTEST) {
        throw new TypeConversionException(
            "'%s' must be a whole number per second, 1/s to %d/s".formatted(text, FASTEST));
      }
      return OptionalLong.of(rate.messages() / seconds);
    }
  }

  /**
   * A time in the past as people write it: {@code 2h} for two hours back, by the database's clock,
   * or an instant.
   */
  record Moment(String text, UnaryOperator<Instant> of) {

    private static final Pattern DATE = Pattern.compile("[+-]?\\d{4,}-.*");

    /** Reads an instant; people write a time zone, or else it would be anybody's guess. */
    static Instant instant(String text) {
      try {
        return Instant.parse(text.strip());
      } catch (DateTimeParseException e) {
        throw new TypeConversionException(
            "'%s' is not a valid instant; write it with its zone, such as 2026-01-31T08:00:00Z or 2026-01-31T08:00:00+01:00"
                .formatted(text));
      }
    }

    static Moment parse(String text) {
      if (DATE.matcher(text.strip()).matches()) {
        Instant instant = instant(text);
        return new Moment(text, now -> instant);
      }
      Duration back = back(text);
      return new Moment(text, now -> now.minus(back));
    }

    /** The instant that {@code moment} means at {@code now}; null for none. */
    static @Nullable Instant at(@Nullable Moment moment, Instant now) {
      return moment == null ? null : moment.of().apply(now);
    }

    /**
     * The instant that {@code moment} means, or {@code now} if that is earlier or there is none.
     */
    static Instant upToNow(@Nullable Moment moment, Instant now) {
      Instant at = at(moment, now);
      return at == null || at.isAfter(now) ? now : at;
    }

    static void checkOrder(@Nullable Moment since, @Nullable Moment until, Instant now) {
      Instant from = at(since, now);
      Instant to = at(until, now);
      if (from != null && to != null && !from.isBefore(to)) {
        throw CommandFailure.usage("--since must lie before --until");
      }
    }

    private static Duration back(String text) {
      Duration back;
      try {
        back = new DurationText().convert(text);
      } catch (TypeConversionException e) {
        throw new TypeConversionException(
            "'%s' is neither a time back, such as 2h or 3d, nor an instant, such as 2026-01-31T08:00:00Z"
                .formatted(text));
      }
      if (back.isNegative()) {
        throw new TypeConversionException("'%s' lies in the future".formatted(text));
      }
      return back;
    }
  }

  /** Reads constants by their labels, such as {@code claims-lost}, and names all for help texts. */
  abstract static class EnumConverter<E extends Enum<E>>
      implements ITypeConverter<E>, Iterable<String> {

    private final E[] constants;
    private final String what;

    EnumConverter(Class<E> type, String what) {
      this.constants = type.getEnumConstants();
      this.what = what;
    }

    @Override
    public E convert(String text) {
      String wanted = text.strip().toLowerCase(Locale.ROOT);
      return Arrays.stream(constants)
          .filter(each -> label(each).equals(wanted))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "'%s' is not a valid %s; there are %s"
                          .formatted(text, what, String.join(", ", this))));
    }

    @Override
    public Iterator<String> iterator() {
      List<String> labels = Arrays.stream(constants).map(EnumConverter::label).toList();
      return labels.iterator();
    }

    private static String label(Enum<?> constant) {
      return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static final class Reasons extends EnumConverter<DeadLetterReason> {
      Reasons() {
        super(DeadLetterReason.class, "reason");
      }
    }

    static final class GroupOrders extends EnumConverter<DeadLetterGroups.Order> {
      GroupOrders() {
        super(DeadLetterGroups.Order.class, "order");
      }
    }

    /** Where a message of the queue is. */
    enum State {
      AVAILABLE,
      SCHEDULED,
      BLOCKED,
      IN_FLIGHT
    }

    static final class States extends EnumConverter<State> {
      States() {
        super(State.class, "state");
      }
    }

    static final class Roles extends EnumConverter<Role> {
      Roles() {
        super(Role.class, "role");
      }
    }

    static final class MissedRules extends EnumConverter<MisfirePolicy> {
      MissedRules() {
        super(MisfirePolicy.class, "rule for missed runs");
      }
    }

    /** What becomes of a message whose deduplication key is held. */
    enum OnDuplicate {
      IGNORE,
      FAIL,
      REPLACE
    }

    static final class DuplicateRules extends EnumConverter<OnDuplicate> {
      DuplicateRules() {
        super(OnDuplicate.class, "rule for duplicates");
      }
    }

    static final class DeadLetterRules extends EnumConverter<DeadLetterPolicy> {
      DeadLetterRules() {
        super(DeadLetterPolicy.class, "rule for dead letters");
      }
    }

    static final class Strategies extends EnumConverter<Kind> {
      Strategies() {
        super(Kind.class, "claim strategy");
      }
    }

    static final class LogFormats extends EnumConverter<LogOutput.Format> {
      LogFormats() {
        super(LogOutput.Format.class, "format of the log");
      }
    }
  }
}
