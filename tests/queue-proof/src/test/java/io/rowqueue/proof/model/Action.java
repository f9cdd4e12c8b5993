package io.rowqueue.proof.model;

/** Something that one of the actors does: to the real protocol, and to the model. Stateless. */
interface Action {

  /** Whether the play stands so that it can be done, without waiting for anybody. */
  boolean isPossible(World world);

  /**
   * Says what it does, does it, and checks what it is answered.
   *
   * @throws AssertionError if the real answer is not the model's
   */
  void play(World world, Choices choices) throws Exception;
}
