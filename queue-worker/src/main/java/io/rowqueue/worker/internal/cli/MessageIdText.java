package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageId;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Ids as {@code enqueue} and the logs show them. */
final class MessageIdText implements ITypeConverter<MessageId> {

  @Override
  public MessageId convert(String text) {
    try {
      return new MessageId(Long.parseLong(text.strip()));
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException(
          "'%s' is no message id; ids are whole numbers from 1 on".formatted(text));
    }
  }
}
