package io.rowqueue.wrap;

import io.rowqueue.message.Topic;

/**
 * Where a wrapped payload belongs; a seal holds only there.
 *
 * @param topic the row's
 * @param mark what the payload's header says up to this wrapper, its own name included
 */
public record Place(Topic topic, String mark) {}
