package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.AfterDeadLetter;
import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What comes after a dead letter, by its label. */
final class AfterDeadLetterText implements ITypeConverter<AfterDeadLetter> {

  @Override
  public AfterDeadLetter convert(String text) {
    String wanted = text.strip().toLowerCase(Locale.ROOT);
    return Arrays.stream(AfterDeadLetter.values())
        .filter(each -> each.label().equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException("'%s' is neither hold nor set-aside".formatted(text)));
  }
}
