package io.rowqueue.tests;

import com.google.inject.Module;
import io.rowqueue.handler.Delivery;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.testkit.LambdaHandlers;

/** The ways in which a worker runs a handler and commits what it did. */
public enum HandlingMode {
  ALONE,
  SHARED_COMMIT,
  WITHOUT_TRANSACTION,
  /** The handler is called for each message of a batch. */
  BATCH;

  public <P> Module bind(
      String topic, Class<P> type, MessageHandler<P> handler, HandlerSettings settings) {
    return switch (this) {
      case ALONE -> LambdaHandlers.bind(topic, type, handler, settings.withCommitEach());
      case SHARED_COMMIT -> LambdaHandlers.bind(topic, type, handler, settings.withSharedCommit());
      case WITHOUT_TRANSACTION ->
          LambdaHandlers.bind(topic, type, handler, settings.withoutTransaction());
      case BATCH ->
          LambdaHandlers.bindBatch(
              topic,
              type,
              batch -> {
                for (Delivery<P> one : batch) {
                  handler.handle(one.payload(), one.context());
                }
              },
              settings);
    };
  }
}
