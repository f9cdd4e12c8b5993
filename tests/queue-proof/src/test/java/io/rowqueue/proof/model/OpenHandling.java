package io.rowqueue.proof.model;

import io.rowqueue.proof.model.HandlerThread.Station;
import java.util.List;

/** A handling that stands still: in its handler, or before its COMMIT. */
final class OpenHandling {

  final Life life;
  final Held held;
  final HandlerThread thread;
  Station station = Station.HANDLING;

  /** What it has written to the archive, and not committed yet. */
  List<SettledRow> copies = List.of();

  OpenHandling(Life life, Held held, HandlerThread thread) {
    this.life = life;
    this.held = held;
    this.thread = thread;
  }
}
