package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.ShippedCommand;
import io.rowqueue.tests.ShippedCommand.Said;

/** Commands of the shipped jar, and orders with a secret header for them. */
abstract class CommandScene {

  final QueueDatabase database;
  final ShippedCommand command;
  final MessageProducer producer = MessageProducer.create();

  CommandScene(QueueDatabase database) {
    this.database = database;
    this.command = new ShippedCommand(database);
  }

  final Said run(String line) {
    return command.run(line);
  }

  final String done(String line) {
    return command.done(line);
  }

  final Said refused(String line) {
    return command.refused(line);
  }

  final long enqueue(int number) {
    NewMessage message = NewMessage.of("order", new Order(number)).withHeader("token", "s3cret");
    return producer.enqueue(database.dataSource(), message).value();
  }
}
