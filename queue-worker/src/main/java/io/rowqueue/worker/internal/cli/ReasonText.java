package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.DeadLetterReason;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reasons of dead letters by their labels. */
final class ReasonText implements ITypeConverter<DeadLetterReason> {

  @Override
  public DeadLetterReason convert(String text) {
    String wanted = text.strip().toLowerCase(Locale.ROOT);
    return Arrays.stream(DeadLetterReason.values())
        .filter(reason -> reason.label().equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'%s' is no reason; there are %s"
                        .formatted(
                            text,
                            Arrays.stream(DeadLetterReason.values())
                                .map(DeadLetterReason::label)
                                .collect(Collectors.joining(", ")))));
  }
}
