package io.rowqueue.worker.internal.cli;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.Topic;
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
