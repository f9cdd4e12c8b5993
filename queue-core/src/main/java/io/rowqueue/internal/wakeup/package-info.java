/**
 * How a commit tells idle workers that there is something to do.
 *
 * <p>A ring is for speed only: every worker also looks for itself, once a second at the latest, so
 * that a ring which is lost, refused or never sent costs that second and nothing else.
 */
@NullMarked
package io.rowqueue.internal.wakeup;

import org.jspecify.annotations.NullMarked;
