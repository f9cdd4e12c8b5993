package io.rowqueue.worker.cli;

import io.rowqueue.message.InvalidMessageException;
import io.rowqueue.message.Topic;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Topics by their names, just as they are. */
final class TopicText implements ITypeConverter<Topic> {

  @Override
  public Topic convert(String text) {
    try {
      return new Topic(text);
    } catch (InvalidMessageException e) {
      throw new TypeConversionException(String.valueOf(e.getMessage()));
    }
  }
}
