package io.rowqueue.worker.internal.cli;

/** Text of the command line, which Java decodes by the locale, whatever the shell wrote. */
final class LocaleText {

  /** Stands for every byte that the locale has no character for. */
  private static final char UNREADABLE = '\uFFFD';

  private LocaleText() {}

  /** Refuses what would be stored as question marks. */
  static void check(String option, String text) {
    if (text.indexOf(UNREADABLE) >= 0) {
      throw CommandFailure.usage(
          option
              + " has characters that Java cannot read in this locale; set LC_ALL=C.UTF-8 (a"
              + " payload can also come by --file)");
    }
  }
}
