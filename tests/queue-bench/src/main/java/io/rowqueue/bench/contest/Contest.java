package io.rowqueue.bench.contest;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Load;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Lets several contenders take turns. For one thread. */
public final class Contest {

  private final Stage stage;
  private final String workload;
  private final String title;
  private final int messages;

  /**
   * A contest.
   *
   * @param workload whose it is, in samples
   * @param title in samples and tables
   * @param messages how many each has in a round, but for those that ask for fewer
   */
  public Contest(Stage stage, String workload, String title, int messages) {
    this.stage = stage;
    this.workload = workload;
    this.title = title;
    this.messages = messages;
  }

  /** The first rounds warm up, and do not count; who begins changes with each. */
  public Standing run(List<? extends Contender> contenders) throws Exception {
    Map<String, List<Effort>> efforts = new LinkedHashMap<>();
    List<Contender> order = new ArrayList<>(contenders);
    for (int round = 1 - stage.warmUps(); round <= stage.rounds(); round++) {
      for (Contender contender : order) {
        Effort effort = contender.round(stage.meter(), messages / contender.fewer());
        if (round > 0) {
          efforts.computeIfAbsent(contender.name(), name -> new ArrayList<>()).add(effort);
          note(contender.name(), round, effort);
        }
      }
      Collections.rotate(order, -1);
    }
    return new Standing(title, efforts);
  }

  /** The same; shows each rate as a share of {@code plain}'s, too, and closes all of them. */
  public Standing show(Contender plain, List<? extends Contender> contenders) throws Exception {
    try {
      Standing end = run(contenders);
      stage.report().table(end.table(plain, Load.average()));
      return end;
    } finally {
      contenders.forEach(Contender::close);
    }
  }

  private void note(String name, int round, Effort effort) {
    Map<String, Object> sample = new LinkedHashMap<>();
    sample.put("case", title);
    sample.put("contender", name);
    sample.put("round", round);
    sample.put("messages", effort.messages());
    sample.put("perSecond", effort.perSecond());
    sample.put("serverMicrosEach", effort.serverMicrosEach());
    sample.put("clientMicrosEach", effort.clientMicrosEach());
    sample.put("statementsEach", effort.statementsEach());
    sample.put("rowsReadEach", effort.rowsReadEach());
    sample.put("lockWaitsEach", effort.lockWaitsEach());
    sample.put("deadlocks", effort.deadlocks());
    sample.put("load", Load.average());
    stage.report().sample(workload, sample);
  }
}
