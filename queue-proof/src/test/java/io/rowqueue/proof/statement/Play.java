package io.rowqueue.proof.statement;

import io.rowqueue.database.Transition;

/**
 * A transition as its callers bring it about, on a stage of its own.
 *
 * @param transition what happens
 * @param variant in which way; empty if there is one only
 * @param onPage whether {@code docs/protocol.md} shows its statements
 * @param scene how it begins
 */
record Play(Transition transition, String variant, boolean onPage, Scene scene) {

  static Play of(Transition transition, Scene scene) {
    return of(transition, "", scene);
  }

  static Play of(Transition transition, String variant, Scene scene) {
    return new Play(transition, variant, true, scene);
  }

  /** One whose statements the page shows in another variant already. */
  static Play more(Transition transition, String variant, Scene scene) {
    return new Play(transition, variant, false, scene);
  }

  @Override
  public String toString() {
    return variant.isEmpty() ? transition.label() : transition.label() + ", " + variant;
  }

  /** What was before. */
  interface Scene {

    /** Sets the stage, and says what is to be done there, by parts of {@code core}. */
    Act set(Scenery scenery, Core core);
  }

  /** What is done; it may be done again. */
  interface Act {

    /** The answer. */
    Object run();
  }
}
