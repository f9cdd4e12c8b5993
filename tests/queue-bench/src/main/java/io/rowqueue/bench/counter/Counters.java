package io.rowqueue.bench.counter;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.contest.Standing;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.bench.report.Table;
import io.rowqueue.testkit.QueueDatabase;
import java.util.List;

/** One hot value with 16 writers that commit each change. */
public final class Counters implements Workload {

  private static final int CHANGES = 10_000;

  @Override
  public String name() {
    return "counters";
  }

  @Override
  public String what() {
    return "a hot value in slots, in one row, and in the form that is often published";
  }

  @Override
  public void run(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    try (Takers row = new Takers("one row", database, new OneRow());
        Takers slots = new Takers("SlottedCounter", database, new Slotted());
        Takers published =
            new Takers("INSERT ... SELECT ... FOR UPDATE", database, new Published())) {
      Standing end =
          new Contest(
                  stage, name(), "a hot value, 16 writers, a commit each", stage.messages(CHANGES))
              .run(List.of(row, slots, published));
      stage.report().table(end.table(row, Load.average()));
      stage.report().chart(stage.file(name()), end.chart(stage.server()));
      stage.report().table(errors(List.of(row, slots, published)));
      stage.report().bar(Bar.atMost("errors", (double) slots.errors(), 0));
      stage.report().bar(Bar.atMost("units astray", (double) slots.astray(), 0));
      stage
          .report()
          .bar(Bar.atLeast("rate to one row's", end.ratio(slots, row, Effort::perSecond), 1));
    }
  }

  /** Of all rounds, those that warm up included. */
  private static Table errors(List<Takers> all) {
    Table table = new Table("Transactions that failed and ran again", "", "failed", "units astray");
    all.forEach(
        each ->
            table.row(each.name(), "%,d".formatted(each.errors()), "%,d".formatted(each.astray())));
    return table;
  }
}
