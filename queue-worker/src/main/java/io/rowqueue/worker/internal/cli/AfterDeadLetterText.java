package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.DeadLetterPolicy;
import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** What comes after a dead letter, by its label. */
final class AfterDeadLetterText implements ITypeConverter<DeadLetterPolicy> {

  @Override
  public DeadLetterPolicy convert(String text) {
    String wanted = text.strip().toLowerCase(Locale.ROOT);
    return Arrays.stream(DeadLetterPolicy.values())
        .filter(each -> each.label().equals(wanted))
        .findFirst()
        .orElseThrow(
            () -> new TypeConversionException("'%s' is neither block nor skip".formatted(text)));
  }
}
