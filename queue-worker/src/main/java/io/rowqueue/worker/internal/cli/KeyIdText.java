package io.rowqueue.worker.internal.cli;

import io.rowqueue.spi.KeyId;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Ids of keys. */
final class KeyIdText implements ITypeConverter<KeyId> {

  @Override
  public KeyId convert(String text) {
    try {
      return KeyId.parse(text.strip());
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(e.getMessage());
    }
  }
}
