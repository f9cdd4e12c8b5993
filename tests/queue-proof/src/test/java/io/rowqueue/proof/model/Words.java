package io.rowqueue.proof.model;

import java.util.Locale;

/** Names of constants, for the script. */
final class Words {

  private Words() {}

  /** Such as "ack grouped". */
  static String of(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
