package io.rowqueue.worker.internal.cli;

import java.util.OptionalLong;
import picocli.CommandLine.ITypeConverter;

/** An age as a limit, in seconds: a duration, or {@code none}, which is the empty one. */
final class AgeText implements ITypeConverter<OptionalLong> {

  @Override
  public OptionalLong convert(String text) {
    return text.equals(LimitText.NONE)
        ? OptionalLong.empty()
        : OptionalLong.of(new DurationText().convert(text).toSeconds());
  }
}
