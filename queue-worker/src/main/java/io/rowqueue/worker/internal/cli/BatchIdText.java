package io.rowqueue.worker.internal.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Ids of batches and chains. */
final class BatchIdText implements ITypeConverter<Long> {

  @Override
  public Long convert(String text) {
    try {
      long id = Long.parseLong(text.strip());
      if (id > 0) {
        return id;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new TypeConversionException(
        "'%s' is no id; ids are whole numbers from 1 on".formatted(text));
  }
}
