package io.rowqueue.worker.internal.cli;

/** The levels that can be asked for. */
enum LogLevel {
  ERROR,
  WARN,
  INFO,
  DEBUG,
  TRACE
}
