package io.rowqueue.worker.internal.cli;

import io.rowqueue.ClaimSettings.Kind;
import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.worker.Role;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads constants by their labels, such as {@code claims-lost}, and names all for help texts. */
abstract class EnumConverter<E extends Enum<E>> implements ITypeConverter<E>, Iterable<String> {

  private final E[] constants;
  private final String what;

  EnumConverter(Class<E> type, String what) {
    this.constants = type.getEnumConstants();
    this.what = what;
  }

  @Override
  public E convert(String text) {
    String wanted = text.strip().toLowerCase(Locale.ROOT);
    return Arrays.stream(constants)
        .filter(each -> label(each).equals(wanted))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'%s' is no %s; there are %s".formatted(text, what, String.join(", ", this))));
  }

  @Override
  public Iterator<String> iterator() {
    List<String> labels = Arrays.stream(constants).map(EnumConverter::label).toList();
    return labels.iterator();
  }

  private static String label(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static final class Reasons extends EnumConverter<DeadLetterReason> {
    Reasons() {
      super(DeadLetterReason.class, "reason");
    }
  }

  static final class Roles extends EnumConverter<Role> {
    Roles() {
      super(Role.class, "role");
    }
  }

  static final class MissedRules extends EnumConverter<MisfirePolicy> {
    MissedRules() {
      super(MisfirePolicy.class, "rule for missed firings");
    }
  }

  static final class DeadLetterRules extends EnumConverter<DeadLetterPolicy> {
    DeadLetterRules() {
      super(DeadLetterPolicy.class, "rule for dead letters");
    }
  }

  static final class Strategies extends EnumConverter<Kind> {
    Strategies() {
      super(Kind.class, "claim strategy");
    }
  }

  static final class LogFormats extends EnumConverter<LogOutput.Format> {
    LogFormats() {
      super(LogOutput.Format.class, "format of the log");
    }
  }
}
