package io.rowqueue.proof.model;

/** A producer commits its open transaction, or rolls it back. */
final class EndEnqueue implements Action {

  @Override
  public boolean isPossible(World world) {
    return !world.producers.isEmpty();
  }

  @Override
  public void play(World world, Choices choices) throws Exception {
    OpenEnqueue open = choices.of(world.producers);
    boolean commits = !choices.oneIn(3);
    world.say(
        "the producer of %s %s"
            .formatted(
                open.rows().stream().map(row -> world.name(row.id)).toList(),
                commits ? "commits" : "rolls back"));
    world.producers.remove(open);
    if (commits) {
      open.connection().commit();
      open.rows().forEach(world::isCommitted);
    } else {
      open.connection().rollback();
      open.rows().forEach(row -> world.know(row.id));
      world.happened("an enqueue is rolled back");
    }
    open.connection().close();
  }
}
