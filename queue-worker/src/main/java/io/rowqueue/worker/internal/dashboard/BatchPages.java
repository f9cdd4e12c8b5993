package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.MessageId;
import io.rowqueue.internal.operate.JooqBatches;
import io.rowqueue.internal.operate.JooqChains;
import io.rowqueue.operate.BatchCounts;
import io.rowqueue.operate.BatchDetails;
import io.rowqueue.operate.ChainDetails;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Lists batches with their progress, their members, and chains with their remaining steps. */
@Singleton
class BatchPages {

  private static final int PAGE = 25;

  private final DashboardPool pool;
  private final Views views;

  @Inject
  BatchPages(DashboardPool pool, Views views) {
    this.pool = pool;
    this.views = views;
  }

  /** A batch. */
  record Line(
      long id,
      String name,
      String state,
      boolean held,
      long settled,
      long most,
      String share,
      String total,
      String done,
      String dead,
      String cancelled,
      String left,
      @Nullable Long parent,
      Texts.Moment created,
      Texts.@Nullable Moment completed) {

    static Line of(BatchDetails batch) {
      BatchCounts counts = batch.counts();
      long settled = counts.total() - counts.left();
      return new Line(
          batch.batch().id(),
          batch.name() == null ? "" : Texts.visible(batch.name()),
          batch.state(),
          batch.holdsDeadLetters() && batch.completedAt() == null && counts.dead() > 0,
          settled,
          Math.max(1, counts.total()),
          counts.total() == 0 ? "–" : 100 * settled / counts.total() + " %",
          Texts.number(counts.total()),
          Texts.number(counts.acked()),
          Texts.number(counts.dead()),
          Texts.number(counts.cancelled()),
          Texts.number(counts.left()),
          batch.parent(),
          Texts.Moment.of(batch.createdAt()),
          Texts.Moment.orNull(batch.completedAt()));
    }
  }

  /** A chain; the message is the current step. */
  record ChainLine(
      long id,
      String name,
      @Nullable Long batch,
      @Nullable MessageId message,
      List<String> steps,
      Texts.Moment created) {

    static ChainLine of(ChainDetails chain) {
      return new ChainLine(
          chain.id(),
          chain.name() == null ? "" : Texts.visible(chain.name()),
          chain.batch(),
          chain.message(),
          chain.topics().stream().map(OverviewPages::shown).toList(),
          Texts.Moment.of(chain.createdAt()));
    }
  }

  Reply list(Call call) {
    boolean all = call.query().text("all").equals("1");
    long before = call.query().number("before", Long.MAX_VALUE, Long.MAX_VALUE);
    long chainsBefore = call.query().number("chains", Long.MAX_VALUE, Long.MAX_VALUE);
    List<BatchDetails> found = new JooqBatches(pool.transactions()).list(all, before, PAGE + 1);
    List<ChainDetails> chains = new JooqChains(pool.transactions()).list(chainsBefore, PAGE + 1);
    List<Line> lines = found.stream().limit(PAGE).map(Line::of).toList();
    List<ChainLine> steps = chains.stream().limit(PAGE).map(ChainLine::of).toList();
    Map<String, Object> model = new HashMap<>();
    model.put("batches", lines);
    model.put("none", lines.isEmpty());
    model.put("all", all);
    model.put("next", found.size() > PAGE ? lines.get(PAGE - 1).id() : null);
    model.put("chains", steps);
    model.put("noChains", steps.isEmpty());
    model.put("nextChains", chains.size() > PAGE ? steps.get(PAGE - 1).id() : null);
    return views.show(call, new Views.Page("Batches and chains", "batches", false, model));
  }

  /** One batch with a page of its members. */
  Reply one(Call call) {
    long id = call.query().number("id", 0, Long.MAX_VALUE / 64);
    BatchDetails batch =
        new JooqBatches(pool.transactions())
            .find(id)
            .orElseThrow(() -> new Refusal(404, "This batch does not exist."));
    JooqBatchMembers members = new JooqBatchMembers(pool.transactions(), id);
    BatchCounts counts = batch.counts();
    JooqBatchMembers.Found found =
        members.find(
            call.query().number("after", 0, Long.MAX_VALUE), counts.left() + counts.dead());
    boolean stopped = found.after() != null && found.members().size() < JooqBatchMembers.MOST;
    List<ChainDetails> chains =
        new JooqChains(pool.transactions()).ofBatch(id, JooqBatchMembers.MOST);
    Map<String, Object> model = new HashMap<>();
    model.put("batches", List.of(Line.of(batch)));
    model.put("members", found.members());
    model.put("none", found.members().isEmpty() && found.after() == null);
    model.put("soFar", stopped ? found.after() : null);
    model.put("further", stopped && found.members().isEmpty());
    model.put("next", found.after());
    model.put("children", members.batches());
    model.put("chains", chains.stream().map(ChainLine::of).toList());
    return views.show(call, new Views.Page("Batch " + id, "batch", !stopped, model));
  }
}
