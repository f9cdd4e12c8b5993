package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.operate.TopicInfo;
import io.rowqueue.worker.internal.observe.QueueStatus;
import io.rowqueue.worker.internal.observe.StatusReader;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows topics with what is set for them and what they hold. */
@Command(
    name = "list",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker topics list --url URL [--json] [OPTIONS]",
    description = {
      "Shows every topic that has a setting, a message, a dead letter or a worker, with its"
          + " settings and what it holds. Locks nothing."
    })
final class TopicListCommand extends OperatorCommand {

  @Mixin private final JsonOptions json = new JsonOptions();

  TopicListCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    Transactions queue = queue();
    QueueStatus status = new StatusReader(queue).read();
    List<TopicInfo> settings = new JooqTopics(queue).list();
    List<TopicTexts.Line> lines = TopicTexts.lines(status, settings);
    show(
        json.choose(
            () -> TopicTexts.table(lines), root -> TopicTexts.fill(root, status.at(), lines)));
    return ExitCodes.OK;
  }
}
