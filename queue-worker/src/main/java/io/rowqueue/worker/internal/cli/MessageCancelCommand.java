package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.CancelOutcome;
import io.rowqueue.worker.internal.lease.HostName;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Takes messages out of the queue. */
@Command(
    name = "cancel",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker messages cancel ID... --url URL [--running] [OPTIONS]",
    description = {
      "Takes messages out of the queue for good, with their failed attempts. With --running, the"
          + " handler of one that is in flight is asked to stop: if it does, or fails, the message"
          + " is gone and nothing of its work remains; if it ends well, it has won. `messages show`"
          + " says what was asked.",
      MessageChangeCommand.EACH_IS_TRIED
    })
final class MessageCancelCommand extends MessageChangeCommand {

  @LineOnly
  @Option(
      names = "--running",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Ask for those that are in flight, too, instead of refusing.")
  private boolean running;

  MessageCancelCommand(CommandIo io) {
    super(io);
  }

  @Override
  Change change() {
    if (running) {
      String by = who();
      return (messages, id) ->
          messages.requestCancel(id, by) == CancelOutcome.CANCELLED
              ? "message %s cancelled".formatted(id)
              : "message %s is in flight; its handler is asked to stop".formatted(id);
    }
    return (messages, id) -> {
      messages.cancel(id);
      return "message %s cancelled".formatted(id);
    };
  }

  /** As the operating system knows them; for people who read it later, and no more. */
  private static String who() {
    String who = System.getProperty("user.name", "somebody") + "@" + HostName.find();
    return who.substring(0, Math.min(who.length(), 255));
  }
}
