package io.rowqueue.worker.internal.cli;

import io.rowqueue.ClaimSettings.Kind;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Claim strategies by the names that the documentation uses. */
final class StrategyText implements ITypeConverter<Kind> {

  @Override
  public Kind convert(String text) {
    String wanted = text.strip().toLowerCase(Locale.ROOT);
    return Arrays.stream(Kind.values())
        .filter(kind -> kind.label().equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'%s' is no claim strategy; there are %s"
                        .formatted(
                            text,
                            Arrays.stream(Kind.values())
                                .map(Kind::label)
                                .collect(Collectors.joining(", ")))));
  }
}
