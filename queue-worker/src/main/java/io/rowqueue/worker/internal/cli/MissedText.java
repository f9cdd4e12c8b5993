package io.rowqueue.worker.internal.cli;

import io.rowqueue.handler.Missed;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What happens to missed firings, by its labels. */
final class MissedText implements ITypeConverter<Missed> {

  @Override
  public Missed convert(String text) {
    String wanted = text.strip().toLowerCase(Locale.ROOT);
    return Arrays.stream(Missed.values())
        .filter(missed -> missed.label().equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'%s' is no rule for missed firings; there are %s"
                        .formatted(
                            text,
                            Arrays.stream(Missed.values())
                                .map(Missed::label)
                                .collect(Collectors.joining(", ")))));
  }
}
