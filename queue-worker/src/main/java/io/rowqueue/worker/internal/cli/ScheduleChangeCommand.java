package io.rowqueue.worker.internal.cli;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageLimits;
import io.rowqueue.PayloadException;
import io.rowqueue.WorkerNotifiers;
import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.internal.schedule.JooqSchedules;
import io.rowqueue.operate.InvalidScheduleException;
import io.rowqueue.operate.ScheduleDetails;
import io.rowqueue.operate.Schedules;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import picocli.CommandLine.Parameters;

/** Changes schedules that are there, one after the other. */
@SuppressWarnings("NullAway.Init") // picocli sets the field
abstract class ScheduleChangeCommand extends OperatorCommand {

  /** For the description of each such command. */
  static final String EACH_IS_TRIED =
      "Each is tried; one that does not exist is reported, and the exit code is 1.";

  @Parameters(arity = "1..*", paramLabel = "NAME", description = "The schedules' names.")
  private List<String> names;

  ScheduleChangeCommand(CommandIo io) {
    super(io);
  }

  /** Changes the one of that name; false if there is none. */
  abstract boolean change(Schedules schedules, String name);

  /** What has become of it, such as {@code paused}. */
  abstract String done();

  @Override
  public final Integer call() {
    CommandDatabase database = reach();
    Schedules schedules =
        new JooqSchedules(
            database.transactions().ringing(WorkerNotifiers.over(database.dataSource())),
            PayloadCodec.json(),
            Wrapping.none(),
            MessageLimits.defaults());
    return each(
        names,
        name -> {
          if (!tried(schedules, name)) {
            throw new Refusal(unknown(schedules, name));
          }
          return "schedule %s %s".formatted(name, done());
        });
  }

  /** A row that somebody has written wrongly keeps no other from its turn. */
  private boolean tried(Schedules schedules, String name) {
    try {
      return change(schedules, name);
    } catch (InvalidScheduleException e) {
      throw new Refusal(String.valueOf(e.getMessage()));
    } catch (InvalidMessageException | PayloadException e) {
      throw new Refusal("schedule '%s' cannot be read: %s".formatted(name, e.getMessage()));
    }
  }

  /** That there is none of that name, and which come nearest. */
  static String unknown(Schedules schedules, String name) {
    Set<String> known =
        schedules.list(0).stream()
            .map(ScheduleDetails::name)
            .collect(Collectors.toCollection(TreeSet::new));
    return "there is no schedule '%s'; %s"
        .formatted(
            name,
            known.isEmpty()
                ? "there is none at all"
                : "nearest: " + TextTable.printable(TopicNames.join(NearestNames.of(name, known))));
  }
}
