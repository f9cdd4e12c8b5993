package io.rowqueue.worker.internal.cli;

import java.time.DateTimeException;
import java.time.ZoneId;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Time zones by their ids. */
final class ZoneText implements ITypeConverter<ZoneId> {

  @Override
  public ZoneId convert(String text) {
    try {
      return ZoneId.of(text.strip());
    } catch (DateTimeException e) {
      throw new TypeConversionException(
          "'%s' is no time zone; write Europe/Berlin, UTC or +01:00".formatted(text));
    }
  }
}
