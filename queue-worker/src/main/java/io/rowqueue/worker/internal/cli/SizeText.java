package io.rowqueue.worker.internal.cli;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Sizes in bytes as people write them: {@code 65536}, {@code 16k}, {@code 4m}, {@code 1g}. */
final class SizeText implements ITypeConverter<Long> {

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
      throw new TypeConversionException("'%s' is more bytes than there are".formatted(text));
    }
    throw new TypeConversionException(
        "'%s' is no size; write bytes, or 16k, 4m, 1g (powers of 1,024)".formatted(text));
  }

  /** The shortest way to write {@code bytes} that {@link #convert} reads, for help texts. */
  static String of(long bytes) {
    if (bytes % (1 << 20) == 0) {
      return bytes / (1 << 20) + "m";
    }
    return bytes % (1 << 10) == 0 ? bytes / (1 << 10) + "k" : Long.toString(bytes);
  }
}
