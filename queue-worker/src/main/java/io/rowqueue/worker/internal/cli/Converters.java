package io.rowqueue.worker.internal.cli;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.spi.KeyId;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.OptionalLong;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the values of options that have a type of their own. */
final class Converters {

  /** Takes a limit away. */
  private static final String NONE = "none";

  private Converters() {}

  /** Registers them with {@code commands} and all commands below. */
  static void register(CommandLine commands) {
    commands
        .registerConverter(Duration.class, new DurationText())
        .registerConverter(Instant.class, Moment::instant)
        .registerConverter(Moment.class, Moment::parse)
        .registerConverter(ZoneId.class, Converters::zone)
        .registerConverter(Topic.class, Converters::topic)
        .registerConverter(MessageId.class, Converters::messageId)
        .registerConverter(KeyId.class, Converters::keyId)
        .registerConverter(OptionalLong.class, Converters::limit);
  }

  private static ZoneId zone(String text) {
    try {
      return ZoneId.of(text.strip());
    } catch (DateTimeException e) {
      throw new TypeConversionException(
          "'%s' is no time zone; write Europe/Berlin, UTC or +01:00".formatted(text));
    }
  }

  private static Topic topic(String text) {
    try {
      return new Topic(text);
    } catch (InvalidMessageException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }

  private static MessageId messageId(String text) {
    try {
      return new MessageId(Long.parseLong(text.strip()));
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(
          "'%s' is no message id; ids are whole numbers from 1 on".formatted(text));
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
          "'%s' is no limit; write a whole number, or none".formatted(text));
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

  /** Ids of batches and chains. */
  static final class BatchId implements ITypeConverter<Long> {
    @Override
    public Long convert(String text) {
      try {
        return new MessageId(Long.parseLong(text.strip())).value();
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(
            "'%s' is no id; ids are whole numbers from 1 on".formatted(text));
      }
    }
  }
}
