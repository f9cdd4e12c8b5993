package io.rowqueue.worker.internal.cli;

import io.rowqueue.handler.MisfirePolicy;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What happens to missed firings, by its labels. */
final class MissedText implements ITypeConverter<MisfirePolicy> {

  @Override
  public MisfirePolicy convert(String text) {
    String wanted = text.strip().toLowerCase(Locale.ROOT);
    return Arrays.stream(MisfirePolicy.values())
        .filter(missed -> missed.label().equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'%s' is no rule for missed firings; there are %s"
                        .formatted(
                            text,
                            Arrays.stream(MisfirePolicy.values())
                                .map(MisfirePolicy::label)
                                .collect(Collectors.joining(", ")))));
  }
}
