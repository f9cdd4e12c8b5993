package io.rowqueue.worker.cli;

import picocli.CommandLine.Command;

/** Takes messages out of the queue. */
@Command(
    name = "cancel",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker messages cancel ID... --url URL [OPTIONS]",
    description = {
      "Takes messages out of the queue for good, with their failed attempts.",
      MessageChangeCommand.EACH_IS_TRIED
    })
final class MessageCancelCommand extends MessageChangeCommand {

  MessageCancelCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  Change change() {
    return (messages, id) -> {
      messages.cancel(id);
      return "message %s cancelled".formatted(id);
    };
  }
}
