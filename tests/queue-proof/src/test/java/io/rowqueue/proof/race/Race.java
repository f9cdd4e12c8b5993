package io.rowqueue.proof.race;

import java.util.List;

/**
 * How a race went.
 *
 * @param winner what the winner answered
 * @param loser what the loser answered
 * @param waitedAt the tables at whose rows somebody waited while the winner held its row
 * @param promised every row as the winner's COMMIT was to leave it, seen before the loser came
 * @param after every row at the end
 */
record Race(String winner, String loser, List<String> waitedAt, Rows promised, Rows after) {}
