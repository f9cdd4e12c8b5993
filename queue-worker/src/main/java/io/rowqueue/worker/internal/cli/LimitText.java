package io.rowqueue.worker.internal.cli;

import java.util.OptionalLong;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A limit as people write it: a whole number, or {@code none}, which is the empty one. */
final class LimitText implements ITypeConverter<OptionalLong> {

  /** Takes a limit away. */
  static final String NONE = "none";

  @Override
  public OptionalLong convert(String text) {
    if (text.equals(NONE)) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      throw new TypeConversionException(
          "'%s' is no limit; write a whole number, or none".formatted(text));
    }
  }
}
