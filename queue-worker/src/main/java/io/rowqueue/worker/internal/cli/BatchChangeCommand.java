package io.rowqueue.worker.internal.cli;

import io.rowqueue.WorkerNotifiers;
import io.rowqueue.internal.operate.JooqBatches;
import io.rowqueue.operate.Batches;
import java.util.List;
import picocli.CommandLine.Parameters;

/** Changes batches, one after the other. */
@SuppressWarnings("NullAway.Init") // picocli sets the field
abstract class BatchChangeCommand extends OperatorCommand {

  /** For the description of each such command. */
  static final String EACH_IS_TRIED =
      "Each is tried; one that is refused is reported, and the exit code is 1.";

  @Parameters(
      arity = "1..*",
      paramLabel = "ID",
      converter = BatchIdText.class,
      description = "The batches' ids.")
  private List<Long> ids;

  BatchChangeCommand(CommandIo io) {
    super(io);
  }

  /** Changes it; tells what has become of it. */
  abstract String change(Batches batches, long id);

  @Override
  public final Integer call() {
    CommandDatabase database = reach();
    Batches batches =
        new JooqBatches(
            database.transactions().ringing(WorkerNotifiers.over(database.dataSource())));
    return each(ids, id -> "batch %d %s".formatted(id, change(batches, id)));
  }
}
