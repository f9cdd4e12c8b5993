package io.rowqueue.proof.statement;

import java.util.List;
import java.util.stream.Stream;

/** Every transition of the protocol, in all its ways. */
final class Plays {

  private Plays() {}

  static List<Play> all() {
    return Stream.of(
            WorkerPlays.all(),
            QueuePlays.all(),
            SettlementPlays.all(),
            OrderPlays.all(),
            KeyLimitPlays.all(),
            ResultPlays.all(),
            BatchPlays.all(),
            BodyPlays.all(),
            OperatorPlays.all(),
            LimitPlays.all(),
            LongPlays.all(),
            SchedulePlays.all(),
            FanOutPlays.all())
        .flatMap(List::stream)
        .toList();
  }
}
