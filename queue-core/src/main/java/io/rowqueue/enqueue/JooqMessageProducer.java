package io.rowqueue.enqueue;

import io.rowqueue.message.MessageId;
import io.rowqueue.message.MessageLimits;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.PayloadCodec;
import java.sql.Connection;
import java.util.Collection;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;

final class JooqMessageProducer implements MessageProducer {

  JooqMessageProducer(PayloadCodec codec, MessageLimits limits) {}

  @Override
  public MessageId enqueue(DSLContext transaction, NewMessage message) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<MessageId> enqueueAll(DSLContext transaction, Collection<NewMessage> messages) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MessageId enqueue(Connection connection, NewMessage message) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<MessageId> enqueueAll(Connection connection, Collection<NewMessage> messages) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MessageId enqueue(DataSource dataSource, NewMessage message) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<MessageId> enqueueAll(DataSource dataSource, Collection<NewMessage> messages) {
    throw new UnsupportedOperationException();
  }
}
