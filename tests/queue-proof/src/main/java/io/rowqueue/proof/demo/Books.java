package io.rowqueue.proof.demo;

import io.rowqueue.testkit.QueueDatabase;
import java.io.PrintStream;
import java.util.HashSet;
import java.util.List;

/** What the shop's tables, its mail server and its partner say, beside what they should say. */
final class Books {

  private final QueueDatabase database;
  private final Outside outside;
  private final Wanted wanted;
  private boolean balanced = true;

  Books(QueueDatabase database, Outside outside, Wanted wanted) {
    this.database = database;
    this.outside = outside;
    this.wanted = wanted;
  }

  /** How many there were of each. */
  record Wanted(int orders, int customers, int clickedTwice) {}

  /** Prints them; true if each is as it should be. */
  boolean print(PrintStream out, long duplicates, int exitCode) {
    out.printf("%nThe books, by SQL:%n");
    line(
        out,
        "orders confirmed",
        wanted.orders,
        "SELECT COUNT(*) FROM shop_order WHERE state = 'CONFIRMED'");
    line(out, "second clicks left out", wanted.clickedTwice, duplicates);
    line(out, "pieces left in stock", 0, "SELECT SUM(amount) FROM queue_counter");
    line(out, "points credited", wanted.orders, "SELECT SUM(points) FROM shop_customer");
    line(out, "orders in the report", wanted.orders, "SELECT SUM(orders) FROM shop_report");
    several(out, "e-mails received", wanted.orders + wanted.customers, outside.mails());
    several(out, "partner told", Orders.forThePartner(wanted.orders), outside.posts());
    limit(out, "partner told at once", Demo.PARTNER_TAKES_AT_ONCE, outside.mostPostsAtOnce());
    line(
        out,
        "newsletters complete",
        1,
        "SELECT COUNT(*) FROM shop_newsletter WHERE counts = 'total=%1$d done=%1$d failed=0 cancelled=0'"
            .formatted(wanted.customers));
    line(out, "dead letters", 0, "SELECT COUNT(*) FROM queue_dead_letter");
    line(out, "messages left", 0, "SELECT COUNT(*) FROM queue_message");
    line(out, "exit code of worker two", 0, exitCode);
    out.println(balanced ? "Every order took effect exactly once." : "THE BOOKS DO NOT BALANCE.");
    return balanced;
  }

  private void line(PrintStream out, String what, long wanted, String query) {
    line(out, what, wanted, database.count(query));
  }

  private void line(PrintStream out, String what, long wanted, long found) {
    boolean right = wanted == found;
    balanced &= right;
    out.printf("  %-26s%,8d%s%n", what, found, right ? "" : "  SHOULD BE " + wanted);
  }

  private void limit(PrintStream out, String what, long most, long found) {
    boolean right = found <= most;
    balanced &= right;
    out.printf("  %-26s%,8d%s%n", what, found, right ? "" : "  SHOULD BE AT MOST " + most);
  }

  /** What goes outside may come twice where a worker was killed, and is known by its key then. */
  private void several(PrintStream out, String what, long wanted, List<String> keys) {
    line(out, what, wanted, new HashSet<>(keys).size());
    if (keys.size() > wanted) {
      out.printf("    (%,d came twice with the same key)%n", keys.size() - wanted);
    }
  }
}
