package io.rowqueue.bench.drain;

import io.rowqueue.testkit.QueueDatabase;

/** One that empties RowQueue's own table. */
abstract class QueueDrainer implements Drainer {

  /** Where the table is. */
  final QueueDatabase database;

  /** What is emptied. */
  final QueueTable table;

  private final String name;

  QueueDrainer(String name, QueueDatabase database) {
    this(name, new QueueTable(database));
  }

  /** One that fills it in its way. */
  QueueDrainer(String name, QueueTable table) {
    this.name = name;
    this.database = table.database;
    this.table = table;
  }

  @Override
  public final String name() {
    return name;
  }

  @Override
  public void fill(int messages) throws Exception {
    table.fill(messages);
  }
}
