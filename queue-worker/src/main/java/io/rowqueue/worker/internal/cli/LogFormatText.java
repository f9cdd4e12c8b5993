package io.rowqueue.worker.internal.cli;

import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Formats of the log by their names. */
final class LogFormatText implements ITypeConverter<LogFormat> {

  @Override
  public LogFormat convert(String text) {
    return switch (text.strip().toLowerCase(Locale.ROOT)) {
      case "text" -> LogFormat.TEXT;
      case "json" -> LogFormat.JSON;
      default ->
          throw new TypeConversionException(
              "'%s' is no format of the log; there are text and json".formatted(text));
    };
  }
}
