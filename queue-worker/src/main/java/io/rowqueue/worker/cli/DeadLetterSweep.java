package io.rowqueue.worker.cli;

import io.rowqueue.QueueException;
import io.rowqueue.database.CommitOutcomeUnknownException;
import io.rowqueue.message.MessageId;
import java.util.List;

/** Changes dead letters page by page and knows at every moment how many are done. */
final class DeadLetterSweep {

  /** One transaction's worth. */
  static final int PAGE = 200;

  private final Deed deed;
  private final Pace pace;
  private final Progress progress;

  private long done;
  private int pending;

  DeadLetterSweep(Deed deed, Pace pace, Progress progress) {
    this.deed = deed;
    this.pace = pace;
    this.progress = progress;
  }

  /** What is done, and to which. */
  interface Deed {

    /** The next ids above {@code after}, in their order. */
    List<MessageId> page(long after, int most);

    /** Does it to all of them in one transaction; returns to how many. */
    int apply(List<MessageId> ids);

    /** What they are afterwards, such as {@code redriven}. */
    String done();
  }

  /**
   * Changes up to {@code limit}.
   *
   * @return how many those were
   * @throws CommandFailure if the database fails; it says how many are done
   */
  long run(long limit) {
    try {
      long after = 0;
      while (done < limit) {
        int most = pace.atOnce((int) Math.min(PAGE, limit - done));
        List<MessageId> ids = deed.page(after, most);
        if (ids.isEmpty()) {
          break;
        }
        pace.await(ids.size());
        pending = ids.size();
        done += deed.apply(ids);
        pending = 0;
        after = ids.get(ids.size() - 1).value();
        progress.at(done, done);
      }
      return done;
    } catch (QueueException e) {
      throw new CommandFailure(ExitCodes.of(e), e.getMessage() + "; " + whatIsDone(e), e);
    }
  }

  private String whatIsDone(QueueException cause) {
    String kept =
        "%s before it %s %s"
            .formatted(
                TextTable.plural(done, "dead letter"), done == 1 ? "was" : "were", deed.done());
    return cause instanceof CommitOutcomeUnknownException
        ? "%s, and of %d more all or none; the same command goes on".formatted(kept, pending)
        : kept + "; the same command goes on";
  }
}
