package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqWorkers;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerLoad;
import io.rowqueue.operate.Workers;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.cli.QueueCommand.CommandGroup;
import io.rowqueue.worker.internal.observe.ListedWorker;
import io.rowqueue.worker.internal.observe.WorkerReader;
import io.rowqueue.worker.internal.observe.WorkerStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "workers",
    description = "Shows, pauses, resumes or drains live workers on all hosts.")
final class WorkerCommands extends CommandGroup {

  WorkerCommands(CommandIo io) {
    super(io, "list", "pause", "resume", "drain");
  }

  static String table(List<ListedWorker> workers) {
    return Column.table(workers, columns(), StatusCommand.NO_WORKER);
  }

  static void fill(ObjectNode root, List<ListedWorker> workers) {
    root.set("workers", Column.nodes(workers, columns()));
  }

  private static List<Column<ListedWorker>> columns() {
    List<Column<ListedWorker>> columns = new ArrayList<>();
    StatusCommand.WORKER.forEach(column -> columns.add(column.of(ListedWorker::status)));
    columns.addAll(
        columns.size() - 1,
        List.of(
            Column.inTable("VERSION", worker -> worker.status().version()),
            Column.inTable("STARTED", ListedWorker::startedAt),
            Column.inTable("STATE", WorkerCommands::state),
            Column.inTable("BUSY", of(load -> load.busyThreads() + " of " + load.threads())),
            Column.inTable("ATTEMPTS/S", of(WorkerLoad::handledPerSecond)),
            Column.inTable("MEMORY", of(load -> (load.memoryUsed() >> 20) + " MiB"))));
    columns.addAll(
        List.of(
            Column.inJson("startedAt", ListedWorker::startedAt),
            Column.inJson("draining", ListedWorker::draining),
            Column.inJson("paused", ListedWorker::paused),
            Column.inJson("threads", of(WorkerLoad::threads)),
            Column.inJson("busyThreads", of(WorkerLoad::busyThreads)),
            Column.inJson("handled", of(WorkerLoad::handled)),
            Column.inJson("handledPerSecond", of(WorkerLoad::handledPerSecond)),
            Column.inJson("memoryUsedBytes", of(WorkerLoad::memoryUsed)),
            Column.inJson("memoryMaxBytes", of(WorkerLoad::memoryMax))));
    return columns;
  }

  /** Null until the worker's first renewal. */
  private static Function<ListedWorker, @Nullable Object> of(
      Function<WorkerLoad, ? extends @Nullable Object> value) {
    return worker -> worker.load() == null ? null : value.apply(worker.load());
  }

  static final class Selection {

    @Parameters(
        arity = "0..*",
        paramLabel = "LOCK_ID",
        description = "Workers, as shown by `workers list`.")
    private @Nullable List<String> lockIds;

    @Option(
        names = "--host",
        paramLabel = "HOST",
        description = "Select every live worker of this host.")
    private @Nullable String host;

    @Option(names = "--all", description = "Select every live worker.")
    private boolean all;

    /** Returns whether exactly one kind of selection is given. */
    private boolean isOne() {
      return Stream.of(lockIds != null, host != null, all).filter(given -> given).count() == 1;
    }

    private List<String> of(Transactions queue) {
      return lockIds != null
          ? lockIds
          : new WorkerReader(queue)
              .read().stream()
                  .filter(ListedWorker::isAlive)
                  .map(ListedWorker::status)
                  .filter(worker -> all || worker.host().equals(host))
                  .map(WorkerStatus::lockId)
                  .toList();
    }
  }

  private static String state(ListedWorker worker) {
    if (worker.draining()) {
      return "draining";
    }
    return worker.paused() ? "paused" : "running";
  }

  @Command(
      description =
          "Shows every worker on any host that has not been declared dead. Locks nothing.")
  int list(@Mixin JsonOptions json) {
    List<ListedWorker> workers = new WorkerReader(queue()).read();
    return show(json, () -> table(workers), root -> fill(root, workers));
  }

  @Command(
      customSynopsis = {
        "queue-worker workers pause LOCK_ID... [OPTIONS]",
        "   or: queue-worker workers pause --host HOST [OPTIONS]",
        "   or: queue-worker workers pause --all [OPTIONS]"
      },
      description = {
        "Pauses workers: they claim no more messages, and their running handlers finish. They stay"
            + " alive until they are drained or stopped. Does not wait for it.",
        "Each is tried. A worker that is not alive is refused, and the exit code is 1."
      })
  int pause(@Mixin Selection selection) {
    return each(selection, Workers::pause, "worker %s: pause requested");
  }

  @Command(
      customSynopsis = {
        "queue-worker workers resume LOCK_ID... [OPTIONS]",
        "   or: queue-worker workers resume --host HOST [OPTIONS]",
        "   or: queue-worker workers resume --all [OPTIONS]"
      },
      description = {
        "Resumes paused workers. Does not wait for it.",
        "Each is tried. A worker that is not alive is refused, and the exit code is 1."
      })
  int resume(@Mixin Selection selection) {
    return each(selection, Workers::resume, "worker %s: resume requested");
  }

  @Command(
      customSynopsis = {
        "queue-worker workers drain LOCK_ID... [OPTIONS]",
        "   or: queue-worker workers drain --host HOST [OPTIONS]",
        "   or: queue-worker workers drain --all [OPTIONS]"
      },
      description = {
        "Requests workers to drain and exit, as SIGTERM does: they claim no more messages, let"
            + " running handlers finish, and release the rest. Does not wait for it; `workers list`"
            + " shows them as draining until they are gone. A drain cannot be undone: start the"
            + " workers again on their host.",
        "Each is tried. A worker that is not alive is refused, and the exit code is 1."
      })
  int drain(@Mixin Selection selection) {
    return each(selection, Workers::drain, "worker %s: drain requested");
  }

  private int each(Selection selection, BiConsumer<Workers, String> request, String done) {
    if (!selection.isOne()) {
      throw CommandFailure.usage("name workers by their lock_ids, or give --host or --all");
    }
    Transactions queue = queue();
    Workers workers = new JooqWorkers(queue);
    List<String> requested = selection.of(queue);
    if (requested.isEmpty() && !selection.all) {
      throw CommandFailure.failed(
          "no worker of host '%s' is alive; nothing was changed".formatted(selection.host), null);
    }
    if (requested.isEmpty()) {
      show(StatusCommand.NO_WORKER);
    }
    return each(
        requested,
        lockId -> {
          request.accept(workers, lockId);
          return done.formatted(lockId);
        });
  }
}
