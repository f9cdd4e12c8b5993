package io.rowqueue.proof.race;

/** What happens to whoever comes while another holds the row. */
enum Meeting {
  WAITS("waits", true, true, "waits for the COMMIT, then finds that it has lost"),

  FOLLOWS("follows", true, false, "waits for the COMMIT, then does its work on what that left"),

  SKIPS("skips", false, true, "could have had the row, passes over it, and answers at once"),

  FINDS_NOTHING("nothing", false, true, "finds nothing for it, and answers at once"),

  PASSES("passes", false, false, "is about another row: it does its work at once, and both count");

  private final String word;
  private final boolean waits;
  private final boolean loses;
  private final String meaning;

  Meeting(String word, boolean waits, boolean loses, String meaning) {
    this.word = word;
    this.waits = waits;
    this.loses = loses;
    this.meaning = meaning;
  }

  /** As the documentation's table writes it. */
  String word() {
    return word;
  }

  String meaning() {
    return meaning;
  }

  /** Whether it stands before a lock until the winner has committed. */
  boolean waits() {
    return waits;
  }

  /** Whether it changes nothing, and says so. */
  boolean loses() {
    return loses;
  }
}
